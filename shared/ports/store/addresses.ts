import type { EpochMs } from '../../kube/values/time.ts';
import type { Blocks } from '../../rules/addresses/cluster-range.ts';
import type { CapacityOutcome } from './capacity.ts';
import type { RowCheck } from './rows.ts';

/** A Node that holds addresses. Two Nodes can hold one block: clients may write any podCIDR. */
export interface Holder {
  readonly uid: string;
  readonly name: string;
}

/** A block that somebody holds. */
export interface HeldBlock {
  readonly index: number;
  /** At least one, in no order. */
  readonly holders: readonly Holder[];
}

/** What a Node holds whose podCIDR is wider than a block. */
export interface WideHold extends Holder, Blocks {}

/** What is stored of a range besides its blocks. */
export interface RangeState {
  /** The rotating pointer: the index at which the search for a free block begins. */
  readonly next: number;
  readonly wide: readonly WideHold[];
}

/** A change of who holds which addresses of one range. No two changes of a transaction are about one range. */
export type AddressChange =
  /**
   * Gives a block to a Node and moves the pointer to `next`. Conditions: nobody holds the block, and the wide holds of the range are
   * those that were read.
   */
  | {
      readonly change: 'allocate';
      readonly range: string;
      readonly index: number;
      readonly holder: Holder;
      readonly wide: readonly WideHold[];
      readonly next: number;
    }
  /** Adds the Node to the holders of one block, or its wide hold to the range. Without a condition, and may be repeated. */
  | ({ readonly change: 'hold'; readonly range: string; readonly holder: Holder } & Blocks)
  /** Takes it away again. Without a condition of its own, and may be repeated. */
  | ({ readonly change: 'leave'; readonly range: string; readonly holder: Holder } & Blocks);

/** Changes that no object's change comes with, and their conditions on objects. */
export interface AddressWrite {
  readonly changes: readonly AddressChange[];
  /** Each is about another row. */
  readonly checks: readonly RowCheck[];
}

/** A Node for which there was no free block. */
export interface WaitingNode extends Holder {
  readonly since: EpochMs;
}

/** Some held blocks in the order of their indexes. */
export interface BlockPage {
  readonly blocks: readonly HeldBlock[];
  /** The index from which the next page begins; absent after the last block. */
  readonly next?: number;
}

/**
 * Who holds which blocks of the cluster CIDRs. Commits write it, too, see `Commit.addresses`. Throws `StatusError` 429 when throttled
 * for longer than the adapter retries.
 */
export interface AddressStore {
  /** Pointer and wide holds of a range; 0 and none if nothing was ever stored. */
  range(name: string): Promise<RangeState>;
  /** The blocks that are held, from an index on. A block may be shown as it was seconds ago. */
  blocks(range: string, from: number): Promise<BlockPage>;
  /** Writes all of it or nothing. */
  write(write: AddressWrite): Promise<CapacityOutcome>;
  /** All waiting Nodes, the one that has waited longest first. */
  waiting(): Promise<readonly WaitingNode[]>;
  /** Stores that a Node waits. If it waits already, `since` stays. */
  wait(node: WaitingNode): Promise<void>;
  stopWaiting(uid: string): Promise<void>;
  /** The ranges, as one text, for which the blocks of all Nodes were entered; `undefined`: for none. */
  entered(): Promise<string | undefined>;
  /** Stores for which ranges the blocks of all Nodes were entered. `undefined`: it has to be done again. */
  setEntered(ranges: string | undefined): Promise<void>;
}
