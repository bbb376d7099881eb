import type { CapacityClaim } from '../../rules/scheduling/cluster/capacity-claim.ts';
import type { BindCondition, ClaimChange, Counters } from '../../rules/scheduling/node-counters.ts';
import type { RowCheck } from './rows.ts';

/** The counters of one node: the sums of its claims. They are kept by the node's name, so a Node that is made again inherits them. */
export interface NodeCounters {
  /** An absent counter is 0. */
  readonly counters: Counters;
  /** What the limits of the Node follow from, see `capacityDigest`; absent while no Node has this name. */
  readonly digest?: string;
  /** The number of transactions that have changed counters or digest. */
  readonly writes: number;
}

/** Puts, replaces or deletes one claim, on the condition that it is as it was read. */
export interface ClaimWrite extends ClaimChange {
  /** Uid of the pod. */
  readonly uid: string;
}

/** What a transaction changes in the capacity of one node. The counters change by what the claims change, see `changeOfClaims`. */
export interface CapacityEffect {
  readonly node: string;
  readonly claims: readonly ClaimWrite[];
  /** The new digest; `null`: the Node was deleted. Absent: it stays. */
  readonly digest?: string | null;
  /** Condition on digest and counters as they were before. Absent: the claims may exceed what the node has. */
  readonly within?: BindCondition;
}

/** A change of capacity that no object's change comes with, and its conditions on objects. */
export interface CapacityWrite extends CapacityEffect {
  /** Each is about another row. */
  readonly checks: readonly RowCheck[];
}

/** What became of a `CapacityWrite`. */
export type CapacityOutcome =
  | 'written'
  /** A condition failed: read again and decide again. */
  | 'refused'
  /** TransactionConflict or throttled: nothing was written; the same write may be sent again. */
  | 'busy'
  /** The answer was lost, so the write may have happened, or may still happen. Read again: each claim is conditional as read. */
  | 'unclear';

/** The most claims and the most checks of one `CapacityWrite`. */
export const MOST_CLAIMS = 45;

/**
 * Claims and counters: what the bound pods of each node take. Commits write them, too, see `Commit.capacity`. Throws `StatusError`
 * 429 when throttled for longer than the adapter retries.
 */
export interface CapacityStore {
  /**
   * The claims of these pods that are there, in no order. For each of them a commit is visible completely or not at all: who sees
   * a bound pod and reads its claim here afterwards, finds it.
   */
  claimsOf(node: string, uids: readonly string[]): Promise<readonly CapacityClaim[]>;
  /** All claims of a node, in no order. A claim may be missing although its pod is visible, and be there before its pod is. */
  allClaims(node: string): Promise<readonly CapacityClaim[]>;
  /** The first `limit` claims of a node whose uids follow `after`, sorted by uid, as `allClaims` shows them. `''`: from the first one. */
  claimsAfter(node: string, after: string, limit: number): Promise<readonly CapacityClaim[]>;
  /** The counters of a node; `undefined` if nothing was ever stored for it. */
  counters(node: string): Promise<NodeCounters | undefined>;
  /** Writes all of it or nothing. */
  write(write: CapacityWrite): Promise<CapacityOutcome>;
}
