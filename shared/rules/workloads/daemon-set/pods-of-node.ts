/** The pods of a DaemonSet at each node, and which one of several counts. */
import { byText } from '../../../kube/text/compare-text.ts';
import type { Pod } from '../../../kube/types/core.ts';
import { type EpochMs, parseTime } from '../../../kube/values/time.ts';
import { isFinished } from '../../pods/deletion.ts';
import { targetNode } from './daemon-place.ts';

/** Whether it is being deleted. */
export const isLeaving = ({ metadata }: Pod): boolean => metadata.deletionTimestamp !== undefined;

/**
 * Pods by their node. Pods that are to run nowhere in particular are left out, and so are those that have ended and are being
 * deleted: nothing runs there any more (W-112).
 */
export const podsByNode = (pods: readonly Pod[]): ReadonlyMap<string, readonly Pod[]> => {
  const byNode = new Map<string, Pod[]>();
  for (const pod of pods) {
    const node = targetNode(pod);
    if (node === undefined || (isFinished(pod) && isLeaving(pod))) continue;
    const there = byNode.get(node);
    if (there) there.push(pod);
    else byNode.set(node, [pod]);
  }
  return byNode;
};

/** When it was made, ms. */
export const createdAt = ({ metadata }: Pod): EpochMs => parseTime(metadata.creationTimestamp ?? '') ?? 0;

/** The pods of a node, the one that counts first: bound ones, then older ones, then by name (W-114). */
export const oldestFirst = (pods: readonly Pod[]): readonly Pod[] =>
  pods.length < 2
    ? pods
    : pods.toSorted(
        (a, b) =>
          Number(!a.spec.nodeName) - Number(!b.spec.nodeName) ||
          createdAt(a) - createdAt(b) ||
          byText(a.metadata.name, b.metadata.name),
      );
