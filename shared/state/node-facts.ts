import type { Node } from '../api/core.ts';
import type { EpochMs } from '../api/time.ts';
import { parseTime } from '../api/time.ts';
import { settleConditionTaints } from '../domain/condition-taints.ts';
import { readyOf } from '../domain/node-conditions.ts';
import { reconcileNodeLabels } from '../domain/node-labels.ts';
import { carrySince } from '../domain/taints.ts';
import { isExcludedFromDisruption, zoneKeyOf } from '../domain/zones.ts';
import type { NodeFacts } from '../ports/object-log.ts';
import { sameJson } from './object-diff.ts';

/** What every write of a Node settles after its author: mirrored labels and the NoSchedule taints of its conditions. */
export const settleNode = (node: Node, now: EpochMs): Node =>
  settleConditionTaints(reconcileNodeLabels(node), now);

const clientWroteReady = (before: Node | undefined, after: Node): boolean =>
  readyOf(after) !== undefined && !sameJson(before && readyOf(before), readyOf(after));

const readyFacts = (node: Node): Pick<NodeFacts, 'ready' | 'readyTransitionAt'> => {
  const ready = readyOf(node);
  if (!ready) return {};
  const transitionAt = parseTime(ready.lastTransitionTime ?? '');
  return { ready: ready.status, ...(transitionAt === undefined ? {} : { readyTransitionAt: transitionAt }) };
};

/** The index row of a node. `createdAt`, `clientReady` and each taint's `since` are carried from the row before. */
export const nodeFacts = (
  after: Node,
  before: { readonly node: Node; readonly facts: NodeFacts } | undefined,
  writer: 'client' | 'controller',
  now: EpochMs,
): NodeFacts => ({
  zone: zoneKeyOf(after.metadata.labels),
  ...readyFacts(after),
  createdAt: before?.facts.createdAt ?? now,
  excludeDisruption: isExcludedFromDisruption(after.metadata.labels),
  clientReady:
    before?.facts.clientReady === true || (writer === 'client' && clientWroteReady(before?.node, after)),
  noExecute: carrySince(before?.facts.noExecute ?? [], after.spec?.taints ?? [], now),
});
