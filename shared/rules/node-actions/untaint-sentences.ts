/** What follows when a taint is taken off, in sentences. */
import type { Node } from '../../kube/types/core.ts';
import { TAINT_OUT_OF_SERVICE } from '../../kube/types/well-known.ts';
import type { EpochMs } from '../../kube/values/time.ts';
import type { TaintId } from '../nodes/taints.ts';
import { podEvictions } from '../roll-call/pod-evictions.ts';
import { namedText } from './counted.ts';
import type { NodeWithPods } from './fates-by-drain.ts';
import { podPath } from './pod-path.ts';
import { keepersOf } from './sentences.ts';

/** A taint that goes. Pods that would have left because of it stay. */
export const untaintSentences = (
  { node, pods }: NodeWithPods,
  after: Node,
  { key }: TaintId,
  now: EpochMs,
): readonly string[] => {
  const still = new Set(podEvictions(pods, after, undefined, now).map(podPath));
  const saved = podEvictions(pods, node, undefined, now)
    .map(podPath)
    .filter((name) => !still.has(name));
  const keepers = keepersOf(after);
  return [
    keepers.length === 0
      ? 'New pods may be placed on it again.'
      : `Other taints still keep new pods away: ${namedText(keepers)}.`,
    ...(saved.length === 0 ? [] : [`Pods that would have left because of it stay: ${namedText(saved)}.`]),
    ...(key === TAINT_OUT_OF_SERVICE
      ? ['From now on the word of the node is waited for again, before pods and volumes leave it.']
      : []),
    'What has gone because of it does not come back by itself.',
  ];
};
