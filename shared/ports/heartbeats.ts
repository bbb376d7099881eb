import type { LeaseSpec } from '../api/coordination.ts';
import type { ObjectMeta } from '../api/meta.ts';
import type { EpochMs } from '../api/time.ts';
import type { LeaseRefusal } from '../domain/nodes/lease-write.ts';
import type { StatusBeat } from './commit.ts';
import type { Eventual } from './eventual.ts';

/** The stored Lease of a heartbeat item. */
export interface StoredLease {
  readonly uid: string;
  readonly createdAt: EpochMs;
  readonly spec: LeaseSpec;
  readonly metadata: Pick<
    ObjectMeta,
    'generateName' | 'labels' | 'annotations' | 'ownerReferences' | 'finalizers'
  >;
}

/** An item of the roll call: a node's entry (it has `uid`), a Lease, or both. A marker has neither. */
export interface HeartbeatItem {
  readonly namespace: string;
  readonly name: string;
  /** uid of the Node; absent: nobody's beat. */
  readonly uid?: string;
  /** The newest beat of any source, by our clock. */
  readonly observedAt?: EpochMs;
  readonly leaseAt?: EpochMs;
  readonly statusAt?: EpochMs;
  readonly plainAt?: EpochMs;
  readonly relayAt?: EpochMs;
  /** The clients' `lastHeartbeatTime` strings by condition type, newer than those in the Node. */
  readonly times?: Readonly<Record<string, string>>;
  /** Revision of the Lease: receive time in ms, at least the old one + 1. */
  readonly version?: number;
  /** Moves when something that the node must act on changed. */
  readonly workRevision?: number;
  readonly lease?: StoredLease;
  readonly expiresAt?: EpochMs;
}

export interface LeaseKey {
  readonly namespace: string;
  readonly name: string;
}

export interface Beat {
  readonly node: string;
  readonly source: 'plain' | 'status' | 'relay';
  readonly at: EpochMs;
  /** uid that the sender's token carries; `undefined` for an admin. */
  readonly uid?: string;
  /** Only with source `status`. */
  readonly times?: StatusBeat['times'];
  readonly expiresAt: EpochMs;
}

/** `refused`: no item, no `uid`, or another node's; `item` is what is stored. */
export type BeatOutcome =
  | { readonly outcome: 'accepted'; readonly item: HeartbeatItem }
  | { readonly outcome: 'refused'; readonly item: HeartbeatItem | undefined };

export interface LeaseWrite {
  readonly key: LeaseKey;
  /** A renewal keeps the uid and creation time that are stored, whatever these are. */
  readonly lease: StoredLease;
  readonly at: EpochMs;
  /** Version that was read; `undefined` for a create. The new one is max(at, expected + 1). */
  readonly expected?: number;
  /** uid of the Node that the sender's token carries. */
  readonly nodeUid?: string;
  /** Absent: the Lease is kept until it is deleted. */
  readonly expiresAt?: EpochMs;
}

/** Milliseconds for which a deleted Lease without an expiry of its own leaves its version, for watches that come back. */
export const LEASE_MARKER_RETENTION_MS = 24 * 3_600_000;

/** Other outcomes than `stored` are refusals: `item` is what is there. */
export type LeaseOutcome =
  | { readonly outcome: 'stored'; readonly item: HeartbeatItem }
  | { readonly outcome: LeaseRefusal; readonly item: HeartbeatItem | undefined };

/** The `heartbeats` table. A beat and a renewal are one write and no read each; `TransactionConflict` is retried inside. */
export interface HeartbeatStore {
  /** Moves `observedAt` and the source's instant forward, each for itself; a later stored one is kept and counts as success. */
  beat(beat: Beat): Promise<BeatOutcome>;
  /** Makes the item of a living Node again after it expired: only if the Node with `uid` exists in the same transaction. */
  remake(beat: Beat & { readonly uid: string }): Promise<BeatOutcome>;
  /** Renews with `expected`, creates without it (condition: no Lease there). Moves `leaseAt`, `observedAt` and `version`. */
  writeLease(write: LeaseWrite): Promise<LeaseOutcome>;
  /**
   * Removes the Lease, if `expected` (when given) is its version; `version` moves, the node's beats stay. `item` is as it was. An
   * item that had no expiry gets one.
   */
  deleteLease(key: LeaseKey, at: EpochMs, expected?: number): Promise<LeaseOutcome>;
  read(key: LeaseKey): Promise<HeartbeatItem | undefined>;
  /** Every item, markers included. */
  scan(): AsyncIterable<Eventual<readonly HeartbeatItem[]>>;
  /** Adds 1 to `workRevision` (first value: `now`) of a node's entry; nothing happens where there is none. */
  bumpWorkRevision(node: string, now: EpochMs): Promise<void>;
}
