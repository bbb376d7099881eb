/** Which changes of a pod its owner has to know. */

import { deepEqual } from '../../../kube/json/deep-equal.ts';
import type { Pod } from '../../../kube/types/core.ts';
import type { ApiObject } from '../../../kube/types/meta.ts';
import { READY } from '../../../kube/types/well-known.ts';
import { controllerOf } from '../../../kube/values/controller-of.ts';
import { isEndingWithNode } from '../../pods/end-mark.ts';

const readyOf = ({ status }: Pod) => {
  const ready = status?.conditions?.find(({ type }) => type === READY);
  return [ready?.status, ready?.lastTransitionTime];
};

/** What an owner looks at in a pod, besides what only orders pods to delete. */
const seenOf = (pod: Pod) => [
  controllerOf(pod)?.uid,
  pod.metadata.labels,
  pod.metadata.deletionTimestamp !== undefined,
  isEndingWithNode(pod),
  pod.status?.phase,
  readyOf(pod),
];

/** Whether a change of a pod matters to its owner (W-55); `undefined`: the pod is not there. */
export const mattersToOwner = (before: Pod | undefined, after: Pod | undefined): boolean =>
  !before || !after || !deepEqual(seenOf(before), seenOf(after));

/** Whether an owner may have to adopt the pod after this change (W-56): it has no controller, and did not look like that before. */
export const isNewOrphan = (before: ApiObject | undefined, after: ApiObject | undefined): boolean => {
  if (!after || controllerOf(after) || after.metadata.deletionTimestamp !== undefined) return false;
  if (Object.keys(after.metadata.labels ?? {}).length === 0) return false;
  return (
    !before || controllerOf(before) !== undefined || !deepEqual(before.metadata.labels, after.metadata.labels)
  );
};
