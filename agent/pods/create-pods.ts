/** All that runs the pods of a node, put together. */

import type { KnownPods, PodApi } from '../ports/api/pod-api.ts';
import type { EvictablePods, ReclaimNode } from '../ports/machine/eviction.ts';
import type { Prober } from '../ports/machine/prober.ts';
import type { PodsOnNode } from '../ports/machine/shutdown.ts';
import { createProbeWorkers } from '../probes/probe-workers.ts';
import { bindCpus } from '../resources/bind-cpus.ts';
import type { AgentPod } from '../rules/containers/agent-pod.ts';
import { waitAtMost } from '../wait-at-most.ts';
import type { AdmissionFacts } from './admit-pods.ts';
import { probeView, type Workers } from './known-workers.ts';
import { createPodWorkers, type PodWorkers, type PodWorkersDeps } from './pod-workers.ts';
import { type KnownPodsDeps, knownPods, podsOnNode } from './pods-on-node.ts';
import { createRuntimeView } from './worker/runtime-view.ts';
import { createStatusLoop } from './worker/status-loop.ts';
import { createStatusSync } from './worker/status-sync.ts';
import type { PodDeps } from './worker/worker-deps.ts';

/** What cannot be removed must not keep eviction waiting. */
const MOST_RECLAIM_MS = 30_000;

export interface PodsOptions
  extends Pick<
    PodDeps,
    'clock' | 'runtime' | 'images' | 'volumes' | 'objects' | 'events' | 'hooks' | 'node' | 'resources' | 'log'
  > {
  readonly api: PodApi;
  readonly prober: Prober;
  readonly admission: AdmissionFacts;
  readonly endingOf: PodWorkersDeps['endingOf'];
  readonly mirrorOf: KnownPodsDeps['mirrorOf'];
  /** At least 0 and less than 1. */
  readonly random: () => number;
}

export interface Pods extends Pick<PodWorkers, 'setWanted' | 'isSynced'> {
  readonly onNode: EvictablePods & PodsOnNode;
  readonly known: KnownPods;
  /** Frees disk for eviction: what is kept of pods that have ended. */
  readonly reclaim: ReclaimNode;
  /** The pod as the agent has it, with the status that it computed last. */
  find(namespace: string, name: string): AgentPod | undefined;
  /** Runs pods and sends their statuses until `signal` aborts. All containers go on running then. */
  run(signal: AbortSignal): Promise<void>;
}

export const createPods = (options: PodsOptions): Pods => {
  const { clock, runtime, events, log, api, prober, random } = options;
  const workers: Workers = new Map();
  const view = createRuntimeView(runtime);
  const known = knownPods({ workers, isSynced: () => podWorkers.isSynced(), mirrorOf: options.mirrorOf });
  const onFault = (pod: string, fault: string): void => log(`status of pod ${pod}: ${fault}`);
  const statuses = createStatusSync({ api, pods: known, clock, onFault });
  const loop = createStatusLoop({ clock, statuses });
  const wake = (uid: string): void => workers.get(uid)?.wake();
  const probes = createProbeWorkers({
    clock,
    prober,
    events,
    random,
    view: (uid, container) => probeView(statuses, workers, uid, container),
    onUpdate: ({ uid }) => wake(uid),
  });
  const deps = { ...options, view, statuses, onStatus: loop.changed, probes, workers };
  const podWorkers = createPodWorkers(deps);
  const binding = async (signal: AbortSignal): Promise<void> => {
    const { resources } = options;
    if (resources?.bindPeriodMs === undefined) return;
    const { active: activePods } = podWorkers;
    const periodMs = resources.bindPeriodMs;
    await bindCpus({ resources, runtime, activePods, periodMs, clock, log }, signal);
  };
  return {
    setWanted: podWorkers.setWanted,
    isSynced: podWorkers.isSynced,
    known,
    onNode: podsOnNode(deps),
    reclaim: async (what) => {
      if (what !== 'containerGC') return;
      const removed = Promise.all([...workers.values()].map((worker) => worker.discard()));
      await waitAtMost(clock, MOST_RECLAIM_MS, removed);
    },
    find: (namespace, name) => {
      const all = [...workers.values()].map((worker) => worker.pod());
      const pod = all.find(({ metadata }) => metadata.namespace === namespace && metadata.name === name);
      const status = statuses.status(pod?.metadata.uid ?? '');
      return pod && status ? { ...pod, status } : pod;
    },
    run: async (signal) => {
      const unsubscribe = runtime.onChange(wake);
      signal.addEventListener('abort', probes.close, { once: true });
      signal.addEventListener('abort', () => options.images?.close(), { once: true });
      try {
        await Promise.all([podWorkers.run(signal), loop.run(signal), binding(signal)]);
      } finally {
        unsubscribe();
      }
    },
  };
};
