/** What a write of a Node does to blocks of addresses, in its own transaction. */
import type { Node } from '../../kube/types/core.ts';
import type { AddressChange, Holder } from '../../ports/store/addresses.ts';
import type { ClusterRange } from '../../rules/addresses/cluster-range.ts';
import { heldBlocks, podCidrsOf } from '../../rules/addresses/node-blocks.ts';
import type { PlannedChange } from './capacity-effects.ts';

/** The changes of addresses that a change of an object brings along. */
export type AddressEffects = (change: PlannedChange) => readonly AddressChange[];

/** The Node as a holder of addresses. */
export const holderOf = ({ metadata: { uid = '', name } }: Node): Holder => ({ uid, name });

/** The changes that make a Node the holder of its podCIDRs, or with `leave` their holder no longer. */
export const holdChanges = (
  ranges: readonly ClusterRange[],
  holder: Holder,
  podCidrs: readonly string[],
  change: 'hold' | 'leave' = 'hold',
): readonly AddressChange[] => heldBlocks(ranges, podCidrs).map((blocks) => ({ change, holder, ...blocks }));

/** Makes an object writer store who holds the podCIDRs that a client writes. */
export const createAddressEffects =
  (ranges: readonly ClusterRange[]): AddressEffects =>
  ({ key, before, after }) => {
    if (key.resource !== 'nodes' || !after) return [];
    const had = before ? podCidrsOf(before) : [];
    const has = podCidrsOf(after);
    return had.join() === has.join() ? [] : holdChanges(ranges, holderOf(after), has);
  };
