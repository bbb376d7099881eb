/** Runs one pod, turn by turn. Source: kubernetes v1.34 pkg/kubelet `podWorkers`. */

import { deepEqual } from '../../shared/kube/json/deep-equal.ts';
import type { PodStatus } from '../../shared/kube/types/core.ts';
import { type AgentPod, isTerminalPhase } from '../rules/containers/agent-pod.ts';
import { podGrace } from '../rules/pods/grace.ts';
import { createWaker } from '../waker.ts';
import { RETRY_MS } from './containers/delay-retry.ts';
import { cleanTurn, endTurn } from './end-turn.ts';
import { RESYNC_MS, syncTurn } from './sync-turn.ts';
import type { PodDeps } from './worker/worker-deps.ts';
import { newPodState, type PodState, podName, type Stage } from './worker/worker-state.ts';

/** How someone has the pod ended; a later one replaces the status of an earlier one. */
export interface WorkerEnding {
  /** Absent: the pod's own. */
  readonly graceSeconds?: number;
  readonly status: (status: PodStatus) => PodStatus;
}

export interface PodWorker {
  pod(): AgentPod;
  stage(): Stage;
  /** Whether the pod was refused, so that nothing of it runs. */
  isRejected(): boolean;
  /** Whether the pod is still wanted. */
  isWanted(): boolean;
  /** The API's pod has changed. */
  update(pod: AgentPod): void;
  /** Nobody wants the pod any more. */
  gone(): void;
  /** Something may have happened that the pod is waiting for. */
  wake(): void;
  /** Resolves when the containers have ended. */
  end(ending: WorkerEnding): Promise<void>;
  /** Removes what is kept of a pod that has ended: its logs. Resolves when it is gone. */
  discard(): Promise<void>;
  /** Resolves when the volumes are gone, too. */
  readonly finished: Promise<void>;
  /** Resolves when nothing is left to do for the pod. */
  readonly ended: Promise<void>;
}

export interface WorkerStart {
  readonly pod: AgentPod;
  /** Whether it was refused, and its status says why. */
  readonly isRejected?: boolean;
  /** Absent: it runs, unless the API says that it ends. */
  readonly ending?: WorkerEnding;
  /** Of the agent: it stops, and leaves everything as it is. */
  readonly signal: AbortSignal;
}

const isEndingByApi = ({ metadata, status }: AgentPod): boolean =>
  metadata.deletionTimestamp !== undefined || isTerminalPhase(status?.phase);

/** Begins to end the pod, or gives it less time. */
const beginEnd = (state: PodState, override?: number): void => {
  if (state.stage !== 'running' && state.stage !== 'ending') return;
  const { seconds, isShortened } = podGrace(state.pod, state.graceSeconds, override);
  const isNews = state.stage === 'running' || isShortened;
  state.graceSeconds = seconds;
  state.stage = 'ending';
  if (isNews) state.interrupt.abort();
};

/** A pod that was refused never ran: there is nothing to end. */
const leaveRejected = (state: PodState): void => {
  state.isRejected = false;
  state.stage = 'stopped';
};

const turn = async (deps: PodDeps, state: PodState): Promise<number> => {
  if (state.isRejected) return RESYNC_MS;
  if (state.stage === 'running') return await syncTurn(deps, state);
  if (state.stage === 'ending') return await endTurn(deps, state);
  await cleanTurn(deps, state);
  return RESYNC_MS;
};

const safeTurn = async (deps: PodDeps, state: PodState): Promise<number> => {
  state.interrupt = new AbortController();
  try {
    return await turn(deps, state);
  } catch (error) {
    deps.log(`pod ${podName(state.pod)}: error syncing, it is tried again`, error);
    return RETRY_MS;
  }
};

const isOver = ({ stage, isGone, isRemoved }: PodState): boolean =>
  stage === 'finished' && isGone && isRemoved;

/** Starts the worker; its first turn takes up what runs. */
export const startPodWorker = (deps: PodDeps, given: WorkerStart): PodWorker => {
  const { pod, isRejected = false, ending, signal } = given;
  const state = newPodState(pod);
  const waker = createWaker(deps.clock);
  const stopped = Promise.withResolvers<undefined>();
  const finished = Promise.withResolvers<undefined>();
  const removed = Promise.withResolvers<undefined>();
  state.isRejected = isRejected;
  state.statusAtEnd = ending?.status;
  if (ending || isEndingByApi(pod)) beginEnd(state, ending?.graceSeconds);
  const settle = (): void => {
    if (state.stage === 'stopped' || state.stage === 'finished') stopped.resolve(undefined);
    if (state.stage === 'finished') finished.resolve(undefined);
    if (state.isRemoved) removed.resolve(undefined);
  };
  const turns = async (): Promise<void> => {
    while (!signal.aborted) {
      const pauseMs = await safeTurn(deps, state);
      settle();
      if (isOver(state)) return;
      if (pauseMs > 0) await waker.wait(pauseMs);
    }
  };
  /** The agent's signal outlives the pod by far. */
  const run = async (): Promise<void> => {
    signal.addEventListener('abort', waker.wake);
    await turns();
    signal.removeEventListener('abort', waker.wake);
  };
  const change = (apply: () => void): void => {
    apply();
    waker.wake();
  };
  return {
    pod: () => state.pod,
    stage: () => state.stage,
    isRejected: () => state.isRejected,
    isWanted: () => !state.isGone,
    update: (next) =>
      change(() => {
        // Another specification may not have the fault.
        if (!deepEqual(next.spec, state.pod.spec)) state.heldBack.clear();
        state.pod = next;
        if (state.isRejected && next.metadata.deletionTimestamp !== undefined) leaveRejected(state);
        else if (!state.isRejected && isEndingByApi(next)) beginEnd(state);
      }),
    gone: () =>
      change(() => {
        state.isGone = true;
        if (state.isRejected) leaveRejected(state);
        else beginEnd(state);
      }),
    wake: waker.wake,
    end: async ({ status, graceSeconds }) => {
      change(() => {
        state.statusAtEnd = status;
        beginEnd(state, graceSeconds);
      });
      await stopped.promise;
    },
    discard: async () => {
      if (state.stage !== 'finished') return;
      change(() => {
        state.isDiscarded = true;
      });
      await removed.promise;
    },
    finished: finished.promise,
    ended: run(),
  };
};
