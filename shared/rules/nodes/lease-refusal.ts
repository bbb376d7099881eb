/** When a write of a Lease is refused. Rollcall's own: a Lease and the beats of its node are one stored item. */

/** The item stored under the Lease's name: a Lease, a node's entry (it has `uid`), both, or a marker that has neither. */
interface StoredItem {
  readonly uid?: string;
  readonly version?: number;
  readonly lease?: object;
}

/**
 * `expected`: the version that was read; `undefined` for a create. `nodeUid`: of the Node that the sender's token carries.
 * `mayHaveLost`: a crash may have lost answered renewals of this Lease, and it has not been written since.
 */
interface AskedWrite {
  readonly expected?: number | undefined;
  readonly nodeUid?: string | undefined;
  readonly mayHaveLost?: boolean | undefined;
}

/** `foreign`: the item belongs to another node; `conflict`: the version differs, or a create found a Lease; `absent`: there is no Lease. */
export type LeaseRefusal = 'foreign' | 'conflict' | 'absent';

/** Why the stored Lease must not be deleted; `undefined` if it may be. Without `expected`, any version may be deleted. */
export const refuseLeaseDeletion = (
  item: StoredItem | undefined,
  expected: number | undefined,
): Exclude<LeaseRefusal, 'foreign'> | undefined => {
  if (!item?.lease) return 'absent';
  return expected === undefined || item.version === expected ? undefined : 'conflict';
};

/**
 * Whether the write follows a renewal of a Node's Lease that a crash has lost. Such a renewal has changed nothing but instants, so the
 * next one may follow the stored version as if it were the lost one.
 */
const followsLost = (item: StoredItem | undefined, { expected = 0, mayHaveLost }: AskedWrite): boolean =>
  mayHaveLost === true &&
  item?.uid !== undefined &&
  item.lease !== undefined &&
  expected > (item.version ?? 0);

/** Why a Lease must not be created or renewed; `undefined` if it may be. */
export const refuseLeaseWrite = (
  item: StoredItem | undefined,
  write: AskedWrite,
): LeaseRefusal | undefined => {
  const { expected, nodeUid } = write;
  if (nodeUid !== undefined && item?.uid !== nodeUid) return 'foreign';
  if (expected === undefined) return item?.lease ? 'conflict' : undefined;
  return followsLost(item, write) ? undefined : refuseLeaseDeletion(item, expected);
};
