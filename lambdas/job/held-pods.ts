/** Which message makes the controller look at a pod that the tracking finalizer holds. */
import type { ApiObject } from '../../shared/kube/types/meta.ts';
import { controllerOf } from '../../shared/kube/values/controller-of.ts';
import type { WorkloadMessage } from '../../shared/ports/process/messages.ts';
import type { LiveRow } from '../../shared/ports/store/rows.ts';
import { isTracked } from '../../shared/rules/workloads/job/job-pods.ts';

/** Whether the pod is held for a Job that it no longer has. */
export const isAbandoned = (pod: ApiObject): boolean => isTracked(pod) && !controllerOf(pod);

/** A message for the Job that the pod is held for, which may be gone, or for the pod if it has no controller; none for other pods. */
export const ofHeldPod = ({ key: { namespace, name }, uid, object }: LiveRow): readonly WorkloadMessage[] => {
  if (!isTracked(object)) return [];
  const owner = controllerOf(object);
  if (!owner) return [{ v: 1, kind: 'orphan', namespace, name, uid }];
  return owner.kind === 'Job' ? [{ v: 1, kind: 'owner', namespace, name: owner.name, uid: owner.uid }] : [];
};
