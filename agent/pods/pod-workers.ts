/** Runs the pods that should run on the node, and ends all others. Source: kubernetes v1.34 pkg/kubelet `syncLoopIteration`, `HandlePodCleanups`. */
import type { RuntimePod } from '../ports/machine/runtime.ts';
import { admissionOrder } from '../rules/admission/admit-pod.ts';
import { wasRejected } from '../rules/admission/rejected-pod.ts';
import { type AgentPod, isTerminalPhase } from '../rules/containers/agent-pod.ts';
import { isStaticPod } from '../rules/pods/pod-kind.ts';
import { createWaker } from '../waker.ts';
import { type AdmissionFacts, admit } from './admit-pods.ts';
import { activePods, hasStopped, type Workers } from './known-workers.ts';
import { startPodWorker, type WorkerEnding, type WorkerStart } from './pod-worker.ts';
import type { StatusSync } from './worker/status-sync.ts';
import type { PodDeps } from './worker/worker-deps.ts';
import { podName, uidOf } from './worker/worker-state.ts';

/** Where wanted pods come from. */
export type PodSource = 'api' | 'static';

export interface PodWorkersDeps extends PodDeps {
  readonly admission: AdmissionFacts;
  /** How a pod ends of which an agent before has decided that it does; `undefined`: it may run. */
  readonly endingOf: (pod: AgentPod) => WorkerEnding | undefined;
  readonly statuses: StatusSync;
  readonly workers: Workers;
}

export interface PodWorkers {
  /** All pods that the source wants, complete: what is missing ends. Nothing ends before both sources have told. */
  setWanted(source: PodSource, pods: readonly AgentPod[]): void;
  isSynced(): boolean;
  /** All pods that take resources of the node; `undefined` until both sources have told. */
  active(): readonly AgentPod[] | undefined;
  /** Runs pods until `signal` aborts, and leaves them running then. */
  run(signal: AbortSignal): Promise<void>;
}

const RETRY_MS = 10_000;
const RESYNC_MS = 60_000;

interface Round {
  readonly deps: PodWorkersDeps;
  readonly signal: AbortSignal;
  readonly wanted: ReadonlyMap<string, AgentPod>;
  readonly there: ReadonlyMap<string, RuntimePod>;
  /** What belongs to pods that take nothing any more becomes free. */
  readonly free: () => void;
  /** When a worker is done, the next round may begin. */
  readonly onEnded: () => void;
}

const start = (
  { deps, signal, onEnded }: Round,
  pod: AgentPod,
  how: Pick<WorkerStart, 'isRejected' | 'ending'> = {},
): void => {
  const uid = uidOf(pod);
  const worker = startPodWorker(deps, { ...how, pod, signal });
  deps.workers.set(uid, worker);
  void worker.ended.then(() => {
    if (signal.aborted) return;
    deps.workers.delete(uid);
    onEnded();
  });
};

/** Two static pods of one name are one pod with two versions of its manifest: the old one ends first. */
const hasPredecessor = ({ workers }: PodWorkersDeps, pod: AgentPod): boolean =>
  isStaticPod(pod) &&
  [...workers.values()].some((one) => podName(one.pod()) === podName(pod) && !hasStopped(one));

/** Asks whether the pod may run, and starts it if so. Returns whether that was known. */
const askAndStart = async (round: Round, pod: AgentPod): Promise<boolean> => {
  const { deps, free } = round;
  free();
  const admitted = await admit(deps, deps.workers, deps.admission(), pod);
  if (admitted.isKnown) start(round, pod, { isRejected: !admitted.value });
  return admitted.isKnown;
};

/** Pods of which an agent before has decided that they end, do so first. Returns the others that are new. */
const startDecided = (round: Round): readonly AgentPod[] => {
  const { deps, wanted } = round;
  const others: AgentPod[] = [];
  for (const pod of wanted.values()) {
    if (deps.workers.has(uidOf(pod))) continue;
    const ending = isTerminalPhase(pod.status?.phase) ? undefined : deps.endingOf(pod);
    if (ending) start(round, pod, { ending });
    else others.push(pod);
  }
  return others;
};

/** A pod that has run here goes on: it was admitted before. Returns whether one has to wait for its answer. */
const startNew = async (round: Round): Promise<boolean> => {
  const { deps, there } = round;
  const added = startDecided(round);
  const asked = admissionOrder(added.filter((pod) => !there.has(uidOf(pod)))) as readonly AgentPod[];
  const isAsked = new Set(asked);
  for (const pod of added)
    if (!isAsked.has(pod)) start(round, pod, { isRejected: !there.has(uidOf(pod)) && wasRejected(pod) });
  let isWaiting = false;
  for (const pod of asked)
    if (!(round.signal.aborted || hasPredecessor(deps, pod) || (await askAndStart(round, pod))))
      isWaiting = true;
  return isWaiting;
};

/** Its containers get the least time to end, for nobody knows how much they were promised. Source: kubernetes v1.34 `SyncTerminatingRuntimePod`. */
const orphanOf = ({ pod, containers }: RuntimePod): AgentPod => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { ...pod },
  spec: {
    restartPolicy: 'Never',
    terminationGracePeriodSeconds: 1,
    containers: [...new Set(containers.map(({ name }) => name))].map((name) => ({ name })),
  },
});

/** Ends what only the machine knows. */
const endOrphans = async (round: Round): Promise<void> => {
  const { deps, wanted, there } = round;
  const isKnown = (uid: string): boolean => deps.workers.has(uid) || wanted.has(uid);
  for (const [uid, pod] of there) {
    if (isKnown(uid)) continue;
    start(round, orphanOf(pod));
    deps.workers.get(uid)?.gone();
  }
  // What cannot be removed must not keep the others: the next round tries again.
  for (const uid of await deps.volumes.uids())
    if (!isKnown(uid))
      await deps.volumes
        .tearDown(uid)
        .catch((error: unknown) => deps.log(`volumes of the former pod ${uid}`, error));
};

export const createPodWorkers = (deps: PodWorkersDeps): PodWorkers => {
  const { workers, statuses, view, clock, log } = deps;
  const waker = createWaker(clock);
  const sources = new Map<PodSource, readonly AgentPod[]>();
  const isSynced = (): boolean => sources.size === 2;
  const wantedNow = (): ReadonlyMap<string, AgentPod> =>
    new Map([...sources.values()].flat().map((pod) => [uidOf(pod), pod]));
  const active = (): readonly AgentPod[] | undefined => {
    if (!isSynced()) return undefined;
    const asked = [...wantedNow().values()].filter((pod) => !workers.has(uidOf(pod)));
    return [...activePods(statuses, workers), ...asked];
  };
  const free = (): void => {
    const pods = active();
    if (pods) deps.resources?.keepOnly(pods);
  };
  const tellWorkers = (): void => {
    const wanted = wantedNow();
    for (const [uid, worker] of workers) {
      const pod = wanted.get(uid);
      if (pod && worker.isWanted() && worker.pod() !== pod) worker.update(pod);
      else if (!pod && isSynced() && worker.isWanted()) worker.gone();
    }
  };
  /** Returns after how many milliseconds the next one is due. */
  const round = async (signal: AbortSignal): Promise<number> => {
    const there = await view.read();
    const current: Round = { deps, signal, wanted: wantedNow(), there, free, onEnded: waker.wake };
    const pauseMs = (await startNew(current)) ? RETRY_MS : RESYNC_MS;
    if (!isSynced() || signal.aborted) return pauseMs;
    // While pods were asked about, the wanted ones may have become others.
    await endOrphans({ ...current, wanted: wantedNow() });
    statuses.keepOnly(new Set([...workers.keys(), ...wantedNow().keys()]));
    tellWorkers();
    return pauseMs;
  };
  return {
    isSynced,
    active,
    setWanted: (source, pods) => {
      sources.set(source, pods);
      // At once, whatever a round waits for.
      tellWorkers();
      for (const worker of workers.values()) worker.wake();
      waker.wake();
    },
    run: async (signal) => {
      signal.addEventListener('abort', waker.wake, { once: true });
      while (!signal.aborted) {
        const pauseMs = await round(signal).catch((error: unknown) => {
          log('error syncing the pods of the node, it is tried again', error);
          return RETRY_MS;
        });
        if (!signal.aborted) await waker.wait(pauseMs);
      }
    },
  };
};
