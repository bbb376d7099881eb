import type { Node } from '../../kube/types/core.ts';
import type { EpochMs } from '../../kube/values/time.ts';
import type { NodeFacts } from '../../ports/store/rows.ts';
import { reconcileNodeLabels } from '../../rules/nodes/beta-labels.ts';
import { reconcileConditionTaints } from '../../rules/nodes/condition-taints.ts';
import { lossesAfter } from '../../rules/nodes/flapping.ts';
import { readyOf } from '../../rules/nodes/node-conditions.ts';
import { noExecuteFacts } from '../../rules/nodes/taints.ts';
import type { Writer } from '../../rules/nodes/writer.ts';
import { isSilenced } from '../../rules/pods/pod-readiness.ts';
import { shutdownFacts } from '../../rules/shutdown/shutdown-facts.ts';
import { withShutdownFields } from '../../rules/shutdown/shutting-down-node.ts';
import { isExcludedFromDisruption } from '../../rules/zones/excluded-nodes.ts';
import { zoneKeyOf } from '../../rules/zones/zone-names.ts';
import { sameJson } from './object-diff.ts';

/**
 * Adds to a written Node what the control plane derives from it and its state before: mirrored labels, the condition of its shutdown, and the
 * NoSchedule taints of its conditions.
 */
export const withDerivedFields = (node: Node, before: Node | undefined, now: EpochMs): Node =>
  reconcileConditionTaints(withShutdownFields(reconcileNodeLabels(node), before, now), now);

const clientWroteReady = (before: Node | undefined, after: Node): boolean =>
  readyOf(after) !== undefined && !sameJson(before && readyOf(before), readyOf(after));

/** When Ready last changed, by our clock, so that a client's `lastTransitionTime` does not decide which node waits longest. */
const readyFacts = (
  node: Node,
  before: NodeFacts | undefined,
  now: EpochMs,
): Pick<NodeFacts, 'ready' | 'readyTransitionAt'> => {
  const ready = readyOf(node)?.status;
  if (ready === undefined) return {};
  const readyTransitionAt = before?.ready === ready ? (before.readyTransitionAt ?? now) : now;
  return { ready, readyTransitionAt };
};

const shuttingDown = (
  after: Node,
  before: { readonly node: Node; readonly facts: NodeFacts } | undefined,
  now: EpochMs,
): Pick<NodeFacts, 'shutdown'> => {
  const shutdown = shutdownFacts(after, before, now);
  return shutdown ? { shutdown } : {};
};

const lossFacts = (node: Node, before: NodeFacts | undefined, now: EpochMs): Pick<NodeFacts, 'losses'> => {
  const losses = lossesAfter(before?.losses ?? [], before?.ready, readyOf(node)?.status, now);
  return losses.length === 0 ? {} : { losses };
};

/** The facts of a node. `createdAt`, `clientReady`, `isClaimed` and each taint's `since` are taken over from the previous row. */
export const nodeFacts = (
  after: Node,
  before: { readonly node: Node; readonly facts: NodeFacts } | undefined,
  writer: Writer,
  now: EpochMs,
): NodeFacts => ({
  zone: zoneKeyOf(after.metadata.labels),
  ...readyFacts(after, before?.facts, now),
  createdAt: before?.facts.createdAt ?? now,
  excludeDisruption: isExcludedFromDisruption(after.metadata.labels),
  clientReady:
    before?.facts.clientReady === true || (writer !== 'controller' && clientWroteReady(before?.node, after)),
  ...(before?.facts.isClaimed === true || writer === 'node' ? { isClaimed: true as const } : {}),
  ...(isSilenced(before?.facts, readyOf(after)?.status, writer) ? { silenced: true as const } : {}),
  ...noExecuteFacts(before?.facts ?? { noExecute: [] }, after.spec?.taints ?? [], now),
  ...lossFacts(after, before?.facts, now),
  ...shuttingDown(after, before, now),
});
