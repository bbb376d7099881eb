/** The part of the agent that runs pods: workers, volumes, probes, eviction and shutdown over one container runtime. */
import { createHooks } from '../adapters/probes/hooks.ts';
import { createProber } from '../adapters/probes/prober.ts';
import { sysctlAllowlist } from '../domain/admission/sysctls.ts';
import type { AgentPod } from '../domain/pods/agent-pod.ts';
import type { NodeWork } from '../domain/work/node-work.ts';
import type { RunningEviction } from '../eviction/run-eviction.ts';
import type { AdmissionFacts } from '../pods/admit-pods.ts';
import { createPods, type Pods } from '../pods/create-pods.ts';
import type { AgentPods } from '../ports/agent-pods.ts';
import type { NodeFacts } from '../ports/node-facts.ts';
import type { PodResources } from '../ports/pod-resources.ts';
import type { Runtime } from '../ports/runtime.ts';
import type { NodeShutdown } from '../shutdown/node-shutdown.ts';
import { createPodVolumes } from '../volumes/create-pod-volumes.ts';
import { createMounter } from '../volumes/mounts.ts';
import type { PodParts } from './agent-program.ts';
import { createMachineEviction } from './machine-eviction.ts';
import { createMachineShutdown } from './machine-shutdown.ts';
import { nodeOfPods } from './node-of-pods.ts';
import { createRuntimeHealth, type RuntimeHealth } from './runtime-health.ts';
import { createStaticPods } from './static-pods.ts';
import { createWorkObjects } from './work-objects.ts';

export interface RunPodsOptions extends PodParts {
  readonly runtime: Runtime;
  readonly resources: PodResources;
  /** Control group of all pods. */
  readonly podsCgroup: string;
  /** As Go calls it: `linux`. */
  readonly os: string;
  /** At least 0 and less than 1. */
  readonly random: () => number;
}

/** Major and minor version of Kubernetes that probes name. */
const PROBE_VERSION = '1.34';
const END_POLL_MS = 500;

interface Guards {
  readonly eviction: RunningEviction;
  readonly shutdown: NodeShutdown;
  readonly health: RuntimeHealth;
}

const admissionFacts = (options: RunPodsOptions, guards: () => Guards): AdmissionFacts => {
  const { settings, seenNode, os } = options;
  const sysctls = sysctlAllowlist(settings.config.allowedUnsafeSysctls ?? []);
  if ('error' in sysctls) throw new Error(`allowedUnsafeSysctls: ${sysctls.error}`);
  return () => ({
    ...{ node: seenNode(), os, sysctls },
    pressure: guards().eviction.conditions(),
    // Processes of the machine are not confined.
    hasAppArmor: false,
    shutdown: guards().shutdown.admit(),
  });
};

const nodeFacts = (
  { runtime }: RunPodsOptions,
  pods: Pods,
  { eviction, shutdown, health }: Guards,
): NodeFacts => {
  const has = (condition: ReturnType<RunningEviction['conditions']>[number]): boolean =>
    eviction.conditions().includes(condition);
  return {
    health: () => {
      const error = shutdown.readyError();
      const missing = runtime.missing().join('; ');
      return {
        pressures: {
          MemoryPressure: has('MemoryPressure'),
          DiskPressure: has('DiskPressure'),
          PIDPressure: has('PIDPressure'),
        },
        ...health.errors(),
        storageErrors: [],
        shutdownErrors: error === undefined ? [] : [error],
        ...(missing === '' ? {} : { softRequirements: missing }),
      };
    },
    devices: () => ({ capacity: {}, allocatable: {}, removed: [] }),
    volumes: () => ({ inUse: [], isSynced: pods.isSynced() }),
    runtime: runtime.facts,
    images: async () => [],
  };
};

const guardsOf = (options: RunPodsOptions, pods: Pods): Guards => {
  const { settings, rootDirectory, podsCgroup, machine, events, clock, log } = options;
  const shared = { rootDirectory, events, clock, log, pods: pods.onNode };
  return {
    eviction: createMachineEviction({
      ...{ ...shared, settings, podsCgroup, machine },
      reclaim: pods.reclaim,
    }),
    shutdown: createMachineShutdown({
      ...{ ...shared, nodeName: settings.nodeName, config: settings.config },
      ...{ shutdowns: options.shutdowns, sync: options.reportNode },
    }),
    health: createRuntimeHealth(options.runtime, clock),
  };
};

/** Resolves when no container runs any more. */
const allEnded = async ({ runtime, clock }: RunPodsOptions): Promise<void> => {
  const isBusy = async (): Promise<boolean> => {
    const pods = await runtime.pods();
    return pods.some(({ containers }) => containers.some(({ state }) => state === 'running'));
  };
  while (await isBusy()) await clock.sleep(END_POLL_MS);
};

const startShutdown = ({ log }: RunPodsOptions, shutdown: NodeShutdown): Promise<void> =>
  shutdown.start().catch((error: unknown) => log('there is no graceful shutdown on this machine', error));

export const createRunningPods = (options: RunPodsOptions): AgentPods => {
  const { api, tokens, runtime, events, clock, log, random, rootDirectory } = options;
  const objects = createWorkObjects();
  const node = nodeOfPods({ ...options, seen: options.seenNode });
  const { hostIPs, allocatable } = node;
  const asking = { runtime, podIp: () => hostIPs()[0], version: PROBE_VERSION };
  const pods: Pods = createPods({
    ...{ api, runtime, objects, events, clock, log, random, node, resources: options.resources },
    volumes: createPodVolumes({
      ...{ root: rootDirectory, clock, objects, tokens, allocatable, hostIPs, mounter: createMounter() },
      node: options.seenNode,
    }),
    prober: createProber(asking),
    hooks: createHooks({ ...asking, clock }),
    admission: admissionFacts(options, () => guards),
    mirrorOf: (pod) => statics.mirrorOf(pod),
  });
  const statics = createStaticPods({
    ...options,
    isHere: (namespace, name) => pods.find(namespace, name) !== undefined,
    onPods: (found) => pods.setWanted('static', found),
  });
  const guards = guardsOf(options, pods);
  const want = (wanted: readonly AgentPod[]): void => pods.setWanted('api', wanted);
  return {
    facts: nodeFacts(options, pods, guards),
    probe: guards.health.probe,
    run: async (signal) => {
      const { eviction, health, shutdown } = guards;
      await startShutdown(options, shutdown);
      await Promise.all([pods, statics, eviction, health].map((part) => part.run(signal)));
      await shutdown.stop();
    },
    apply: async (work: NodeWork) => {
      // Pods are admitted by what the Node says.
      await options.knownNode();
      objects.replace(work);
      want(work.pods as readonly AgentPod[]);
    },
    followsObjects: objects.areFollowed,
    abandon: async () => {
      want([]);
      pods.setWanted('static', []);
      await allEnded(options);
    },
  };
};
