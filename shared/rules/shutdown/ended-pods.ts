/** The pods that end with a node that shuts down. */

import type { Pod } from '../../kube/types/core.ts';
import { controllerOf } from '../../kube/values/controller-of.ts';
import type { EpochMs } from '../../kube/values/time.ts';
import { isFinished } from '../pods/deletion.ts';
import { withEndMark, withoutEndMark } from '../pods/end-mark.ts';
import { isMirrorPod } from '../pods/mirror-pod.ts';
import { type ShutdownFacts, shutdownAt } from './shutdown-facts.ts';

/** What is stored of a node's shutdown. */
interface Facts {
  readonly shutdown?: ShutdownFacts;
}

/** Whether the shutdown of its node ends the pod for good. Pods of DaemonSets and static pods belong to the node, and come back with it. */
const endsWithNode = (pod: Pod): boolean =>
  !isFinished(pod) &&
  !isMirrorPod(pod) &&
  controllerOf(pod)?.kind !== 'DaemonSet' &&
  pod.metadata.deletionTimestamp === undefined;

/** Whether the node with these facts is ending the pod at `now` (ms), so that nobody else has to. */
export const isEndedByNode = (facts: Facts | undefined, pod: Pod, now: EpochMs): boolean =>
  shutdownAt(facts, now) !== undefined && endsWithNode(pod);

/** The pod on the node with these facts, marked as ending with it at `now` (ms), or not marked any more; the same object if nothing changes. */
export const withEndOfNode = (pod: Pod, facts: Facts | undefined, now: EpochMs): Pod => {
  if (shutdownAt(facts, now) === undefined) return withoutEndMark(pod);
  return endsWithNode(pod) ? withEndMark(pod, now) : pod;
};
