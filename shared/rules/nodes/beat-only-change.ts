/** Tells beats from other changes of a heartbeat item. */

import { deepEqual } from '../../kube/json/deep-equal.ts';
import type { LeaseSpec } from '../../kube/types/coordination.ts';

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
  readonly workRevision?: number;
  readonly relays?: readonly string[];
  readonly roster?: object;
  readonly relayed?: object;
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

/**
 * Whether a change of a Node's entry says only that the node is alive: nothing differs but instants and the version of its Lease.
 * A Lease of no Node, such as that of a leader election, never changes in this way: who holds it must not be forgotten.
 */
export const isBeatOnly = (before: StoredItem | undefined, after: StoredItem): boolean =>
  before !== undefined &&
  after.uid !== undefined &&
  before.uid === after.uid &&
  before.aheadAt === after.aheadAt &&
  before.workRevision === after.workRevision &&
  before.relays === after.relays &&
  before.roster === after.roster &&
  before.relayed === after.relayed &&
  before.workChanges === after.workChanges &&
  isRenewed(before.lease, after.lease);
