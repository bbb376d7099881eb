/** The status of a DaemonSet. Source: kubernetes v1.34 pkg/controller/daemon `updateDaemonSetStatus`. */

import { deepEqual } from '../../../kube/json/deep-equal.ts';
import type { Pod } from '../../../kube/types/core.ts';
import type { Workload } from '../../../kube/types/workloads.ts';
import { optional } from '../../../kube/values/optional.ts';
import type { EpochMs } from '../../../kube/values/time.ts';
import { isPodReady } from '../../pods/pod-conditions.ts';
import { isAvailable } from '../children/pod-state.ts';
import { minReadySecondsOf, withoutZeros } from '../replica-set/replica-set-status.ts';
import { hashOfPod } from './daemon-pod.ts';
import type { DaemonView } from './daemon-set.ts';
import { oldestFirst } from './pods-of-node.ts';

/** The pod that counts on each node where one should run; `undefined` where there is none. */
const countedPods = ({ verdicts, pods }: DaemonView): readonly (Pod | undefined)[] =>
  [...verdicts].flatMap(([node, { shouldRun }]) => (shouldRun ? [oldestFirst(pods.get(node) ?? [])[0]] : []));

const isMisscheduled =
  ({ pods }: DaemonView) =>
  ([node, { shouldRun }]: readonly [string, { readonly shouldRun: boolean }]): boolean =>
    !shouldRun && pods.has(node);

/**
 * The DaemonSet with the status that follows from its pods at `now` (ms); the same object if nothing changes (W-119).
 * `collisionCount`: if it has changed.
 */
export const withDaemonSetStatus = (view: DaemonView, now: EpochMs, collisionCount?: number): Workload => {
  const { owner, verdicts, hash } = view;
  const desired = countedPods(view);
  const scheduled = desired.filter((pod) => pod !== undefined);
  const ready = scheduled.filter(isPodReady);
  const available = ready.filter((pod) => isAvailable(pod, minReadySecondsOf(owner), now)).length;
  const { collisionCount: before, conditions } = owner.status ?? {};
  const collisions = collisionCount ?? before;
  const status = {
    currentNumberScheduled: scheduled.length,
    numberMisscheduled: [...verdicts].filter(isMisscheduled(view)).length,
    desiredNumberScheduled: desired.length,
    numberReady: ready.length,
    observedGeneration: owner.metadata.generation ?? 0,
    ...withoutZeros({
      updatedNumberScheduled: scheduled.filter((pod) => hashOfPod(pod) === hash).length,
      numberAvailable: available,
      numberUnavailable: desired.length - available,
    }),
    ...optional('collisionCount', collisions),
    ...optional('conditions', conditions),
  };
  return deepEqual(status, owner.status) ? owner : { ...owner, status };
};
