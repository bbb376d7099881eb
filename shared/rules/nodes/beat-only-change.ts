/** Tells beats from other changes of a heartbeat item. */

import { deepEqual } from '../../kube/json/deep-equal.ts';
import type { LeaseSpec } from '../../kube/types/coordination.ts';

interface StoredBatch {
  readonly roster: number;
  readonly aheadAt?: number;
}

interface StoredLease {
  readonly uid: string;
  readonly createdAt: number;
  readonly spec: LeaseSpec;
  readonly metadata: object;
}

/** What an item has besides instants. Members that are not the same value count as changed. */
interface StoredItem {
  readonly uid?: string;
  readonly aheadAt?: number;
  readonly patience?: object;
  readonly workRevision?: number;
  readonly relays?: readonly string[];
  readonly roster?: object;
  readonly relayed?: StoredBatch;
  readonly workChanges?: number;
  readonly lease?: StoredLease;
}

/** Whether each member of `a` but the instant of the renewal is in `b`. */
const hasTermsOf = (a: LeaseSpec, b: LeaseSpec): boolean => {
  for (const name in a) {
    const term = name as keyof LeaseSpec;
    if (term !== 'renewTime' && !deepEqual(a[term], b[term])) return false;
  }
  return true;
};

const isRenewed = (before: StoredLease | undefined, after: StoredLease | undefined): boolean => {
  if (before === after) return true;
  if (!before || !after || before.uid !== after.uid || before.createdAt !== after.createdAt) return false;
  const isOnSameTerms = hasTermsOf(before.spec, after.spec) && hasTermsOf(after.spec, before.spec);
  return isOnSameTerms && deepEqual(before.metadata, after.metadata);
};

/** Whether nothing differs but sequence, receipt and ages. Who is on the roster, and a receipt that was taken back, must not be forgotten. */
const isNextBatch = (before: StoredBatch, after: StoredBatch): boolean =>
  before.roster === after.roster && before.aheadAt === after.aheadAt;

const isSameBut = (before: StoredItem, after: StoredItem): boolean =>
  before.uid === after.uid &&
  before.aheadAt === after.aheadAt &&
  before.patience === after.patience &&
  before.workRevision === after.workRevision &&
  before.relays === after.relays &&
  before.roster === after.roster &&
  before.workChanges === after.workChanges;

/**
 * Whether a change says only that nodes are alive. Of a Node's entry: nothing differs but instants and the version of its Lease. Of a part of a relay:
 * the batch is a later one. A Lease of no Node, such as that of a leader election, never changes in this way: who holds it must not be forgotten.
 */
export const isBeatOnly = (before: StoredItem | undefined, after: StoredItem): boolean => {
  if (!before || !isSameBut(before, after)) return false;
  if (before.relayed && after.relayed) return isNextBatch(before.relayed, after.relayed);
  return after.uid !== undefined && before.relayed === after.relayed && isRenewed(before.lease, after.lease);
};
