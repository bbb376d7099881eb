/** How Rollcall's own scheduler binds: never beyond what the node has. */
import type { Node, Pod } from '../../kube/types/core.ts';
import type { ObjectKey, Row, RowCheck } from '../../ports/store/rows.ts';
import { bindingFault, bindPod } from '../../rules/pods/binding.ts';
import { claimOf } from '../../rules/scheduling/cluster/capacity-claim.ts';
import { bindCondition } from '../../rules/scheduling/node-counters.ts';
import type { ObjectWriter } from '../writer/object-writer.ts';

/** What became of a bind. */
export type BindOutcome =
  | 'bound'
  /** The pod is gone, of another uid, bound already, being deleted or gated: the scheduler has nothing to do. */
  | 'obsolete'
  /** The pod asks for more than the node has, even if the node were empty. */
  | 'neverFits'
  /** The node has no room now, or is not the one that was read: read it and decide again. */
  | 'refused';

/** Which pod goes where. */
export interface Placement {
  readonly pod: ObjectKey;
  readonly uid: string;
  /** The Node as it was read. Its allocatable resources are the limits, as long as it has them. */
  readonly node: Node;
  /** Conditions on rows of other objects; if one fails, the bind is refused. */
  readonly rows?: readonly RowCheck[];
  /** Asked at the last moment: whether this scheduler may still decide. If not, the bind is refused. */
  readonly isCurrent?: () => boolean;
}

const waitingPod = (row: Row | undefined, uid: string): Pod | undefined => {
  if (row?.state !== 'live' || row.uid !== uid) return undefined;
  const pod = row.object as Pod;
  return bindingFault(pod) === undefined ? pod : undefined;
};

/**
 * Binds a pod if the node has room for it at that moment, whoever else binds or changes the node. The writer must have
 * `capacityEffects`. Throws what `ObjectWriter.write` throws.
 */
export const bindWithin = async (
  writer: ObjectWriter,
  { pod: key, uid, node, rows = [], isCurrent = () => true }: Placement,
): Promise<BindOutcome> => {
  let outcome: BindOutcome = 'obsolete';
  const { outcome: written } = await writer.write(key, (row, now) => {
    outcome = 'obsolete';
    const pod = waitingPod(row, uid);
    if (!pod) return undefined;
    const next = bindPod(pod, { nodeName: node.metadata.name, annotations: {} }, now);
    const within = bindCondition(node, claimOf(next, now));
    if (!within) outcome = 'neverFits';
    else outcome = isCurrent() ? 'bound' : 'refused';
    return outcome === 'bound' && within ? { next, writer: 'controller', within, rows } : undefined;
  });
  return written === 'checkFailed' ? 'refused' : outcome;
};
