/** What the NoExecute taints of a node do with each of its pods. */
import type { Node, Pod } from '../../kube/types/core.ts';
import { given } from '../../kube/values/optional.ts';
import type { EpochMs } from '../../kube/values/time.ts';
import { isOutOfService } from '../nodes/out-of-service.ts';
import { noExecuteTaints, taintsOf } from '../nodes/taints.ts';
import { isFinished } from '../pods/deletion.ts';
import { type PodEviction, podEvictions } from '../roll-call/pod-evictions.ts';
import { taintName } from '../roll-call/taint-name.ts';
import { isLeaving } from '../workloads/children/pod-state.ts';
import { afterIt, because, fateOf, type PodFate } from './pod-fate.ts';
import { podPath } from './pod-path.ts';

const staysText = (node: Node): string => {
  const names = noExecuteTaints(taintsOf(node)).map(({ key }) => taintName(key));
  return names.length === 0 ? 'no taint of its node evicts pods' : `tolerates ${names.join(' and ')}`;
};

/** A pod that is being deleted waits for the word of its node, unless that is out of service (K-74); finalizers hold it even then (K-80). */
const leavingFate = (pod: Pod, node: Node): PodFate => {
  const { finalizers = [] } = pod.metadata;
  if (!isOutOfService(node)) return fateOf(pod, 'ending', 'it is being deleted');
  return finalizers.length > 0
    ? fateOf(pod, 'held', `its finalizers hold it: ${finalizers.join(', ')}`)
    : fateOf(pod, 'goes', 'it is being deleted, and its node is not waited for any more');
};

const evictedFate = (pod: Pod, node: Node, { fireAt, reason }: PodEviction, now: EpochMs): PodFate => {
  const isGoing = fireAt <= now;
  const fate = fateOf(pod, isGoing ? 'goes' : 'later', because(reason, afterIt(pod, isOutOfService(node))));
  return { ...fate, ...given('at', isGoing ? undefined : fireAt) };
};

/** The fate of each pod that has not ended, at `now` (ms), on a node that has just got these taints. */
export const fatesByTaints = (node: Node, pods: readonly Pod[], now: EpochMs): readonly PodFate[] => {
  const evictions = new Map(podEvictions(pods, node, undefined, now).map((one) => [podPath(one), one]));
  return pods
    .filter((pod) => !isFinished(pod))
    .map((pod) => {
      if (isLeaving(pod)) return leavingFate(pod, node);
      const eviction = evictions.get(podPath(pod.metadata));
      return eviction ? evictedFate(pod, node, eviction, now) : fateOf(pod, 'stays', staysText(node));
    });
};
