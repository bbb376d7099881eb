import { chunksOf } from '../../shared/kube/values/chunks-of.ts';
import type { Outgoing, Routing } from '../contract/controller.ts';
import { nodeNameOf, podOf, type Step } from '../contract/step.ts';
import type { CapacityReleaseMessage } from './message.ts';

/** Pods of one message: their claims are read in one transaction. */
const MOST_PODS = 100;

type Messages = readonly Outgoing<CapacityReleaseMessage>[];

const hasEnded = (row: Step['after']): boolean => {
  const phase = podOf(row)?.status?.phase;
  return phase === 'Succeeded' || phase === 'Failed';
};

/** Whether a bound pod is gone, or has ended with this step. A pod that was bound as ended has never taken room. */
const releases = ({ before, after }: Step): boolean =>
  after ? hasEnded(after) && !hasEnded(before) : nodeNameOf(before) !== '';

const upTo = (node: string, uids: readonly string[]): Messages =>
  chunksOf(uids, MOST_PODS).map((some) => ({ body: { v: 1, node, uids: some } }));

/**
 * Messages for bound pods that have ended or are gone, one per node and batch of changes: each release writes the counters of its
 * node. A resync sends none, because the sweep finds claims that were not released.
 */
export const routing: Routing<CapacityReleaseMessage> = {
  route: (step) => {
    if (step.key.resource !== 'pods' || !releases(step)) return [];
    const node = nodeNameOf(step.after ?? step.before);
    return node === '' ? [] : [{ body: { v: 1, node, uids: [step.uid] } }];
  },
  merge: (messages) => {
    const byNode = Map.groupBy(messages, ({ body }) => body.node);
    return [...byNode].flatMap(([node, some]) => [
      ...upTo(node, [...new Set(some.flatMap(({ body }) => body.uids))]),
    ]);
  },
  resync: async () => [],
};
