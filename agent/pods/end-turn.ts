/** The turns in which a pod is ended. Source: kubernetes v1.34 pkg/kubelet `SyncTerminatingPod`, `SyncTerminatedPod`. */

import type { RuntimePod } from '../ports/machine/runtime.ts';
import { podGrace } from '../rules/pods/grace.ts';
import { RETRY_MS } from './containers/delay-retry.ts';
import { mayRun } from './containers/running-containers.ts';
import { type StopResult, stopContainers } from './containers/stop-containers.ts';
import { stopDeps } from './containers/stop-deps.ts';
import { publishStatus } from './publish-status.ts';
import { unlessInterrupted } from './worker/interrupt.ts';
import type { PodDeps } from './worker/worker-deps.ts';
import { type PodState, uidOf } from './worker/worker-state.ts';

const readPod = ({ view }: PodDeps, { pod }: PodState): Promise<RuntimePod | undefined> =>
  view.readPod(uidOf(pod));

/** Tells that containers could not be ended. */
const tellFailures = ({ events }: PodDeps, { pod }: PodState, results: readonly StopResult[]): void => {
  const texts = results.flatMap(({ name, error }) =>
    error === undefined
      ? []
      : [`failed to "KillContainer" for "${name}" with KillContainerError: "${error}"`],
  );
  if (texts.length === 0) return;
  const message = `error killing pod: ${texts.length === 1 ? texts[0] : `[${texts.join(', ')}]`}`;
  events.record(pod, { type: 'Warning', reason: 'FailedKillPod', message });
};

/** Ends the containers. Returns after how many milliseconds the next turn is due. */
export const endTurn = async (deps: PodDeps, state: PodState): Promise<number> => {
  const { pod } = state;
  state.graceSeconds ||= podGrace(pod, 0).seconds;
  deps.probes.stopAliveChecks(uidOf(pod));
  const there = await readPod(deps, state);
  publishStatus(deps, state, there);
  const ends = stopContainers(stopDeps(deps), pod, mayRun(pod, there), state.graceSeconds);
  await unlessInterrupted(
    state,
    ends.then((results) => tellFailures(deps, state, results)),
  );
  if (state.interrupt.signal.aborted) return 0;
  const after = await readPod(deps, state);
  if (mayRun(pod, after).length > 0) return RETRY_MS;
  publishStatus(deps, state, after, true);
  state.stage = 'stopped';
  return 0;
};

/** Whether the runtime may forget the pod. Until it is deleted its logs can be read. */
const isRemovable = ({ pod, isGone, isDiscarded }: PodState): boolean =>
  isGone || isDiscarded || pod.metadata.deletionTimestamp !== undefined;

/** Removes what is left. What fails is tried again. */
export const cleanTurn = async (deps: PodDeps, state: PodState): Promise<void> => {
  const uid = uidOf(state.pod);
  const isDue = state.stage === 'stopped';
  if (isDue) {
    publishStatus(deps, state, await readPod(deps, state), true);
    deps.probes.remove(uid);
    await deps.volumes.tearDown(uid);
  }
  const removes = !state.isRemoved && isRemovable(state);
  if (removes) {
    await deps.runtime.removePod(uid);
    state.isRemoved = true;
  }
  state.stage = 'finished';
  if (!isDue && !removes) return;
  deps.statuses.finish(state.pod);
  deps.onStatus();
};
