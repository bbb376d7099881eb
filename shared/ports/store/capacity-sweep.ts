import type { EpochMs } from '../../kube/values/time.ts';
import type { CapacityOutcome, NodeCounters } from './capacity.ts';

/** Some of the nodes that have counters. Their order is fixed. */
export interface CountersPage {
  readonly nodes: readonly (NodeCounters & { readonly node: string })[];
  /** Where to go on; `undefined`: the end. */
  readonly next?: string;
}

/** How far the sweep over all nodes has come. */
export interface CapacitySweep {
  /** The number of writes of this record. A write is conditional on it, so one turn at a time works. */
  readonly version: number;
  /** Until when (ms) others leave the turn alone that works now. */
  readonly leaseUntil: EpochMs;
  /** Where the sweep that is under way goes on; absent: none is under way. */
  readonly position?: string;
  /** Whether the sweep that is under way could do all that it had to. */
  readonly isClean: boolean;
  /** When the last sweep ended (ms); absent: none has. */
  readonly endedAt?: EpochMs;
  /** Whether a clean sweep has ended, so that what is older than the claims is counted, too. Stays `true`. */
  readonly isReconciled: boolean;
}

/** The counters of a node, without the number of writes. */
export type CountersAndDigest = Pick<NodeCounters, 'counters' | 'digest'>;

/**
 * What a sweep over the claims and counters of all nodes needs besides `CapacityStore`. Reads are consistent. Throws `StatusError`
 * 429 when throttled for longer than the adapter retries.
 */
export interface CapacitySweepStore {
  /** A page of the counters of all nodes, from the start or from `next` of the page before. May miss what is written meanwhile. */
  allCounters(after?: string): Promise<CountersPage>;
  /**
   * Stores counters and digest of a node, or deletes them (`undefined`), on the condition that nothing has changed them since they
   * were `read`; `writes` is 0 where there were none. Claims do not change.
   */
  replaceCounters(
    node: string,
    read: NodeCounters,
    next: CountersAndDigest | undefined,
  ): Promise<CapacityOutcome>;
  /** The sweep; `undefined` before the first. */
  read(): Promise<CapacitySweep | undefined>;
  /** Stores the sweep if the stored version is the one before (none before 1). `false`: another turn has written. */
  store(next: CapacitySweep): Promise<boolean>;
}
