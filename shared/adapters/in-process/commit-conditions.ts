import { isDeepStrictEqual } from 'node:util';
import type { Slot } from '../../ports/store/change-log.ts';
import type { Commit, CommitOutcome } from '../../ports/store/commit.ts';
import type { ObjectKey, Revision } from '../../ports/store/rows.ts';
import type { NoExecuteTaint } from '../../rules/nodes/taints.ts';
import type { AddressTables } from './addresses.ts';
import { addressesHold } from './addresses.ts';
import type { CapacityTables } from './capacity.ts';
import { capacityHolds } from './capacity.ts';
import { effectHolds } from './heartbeat-effects.ts';
import { type TurnTable, turnHolds } from './owner-turns.ts';
import { type CheckedRow, rowChecksHold } from './row-checks.ts';
import type { HeartbeatTable } from './tables.ts';
import { type TokenUseTable, useHolds } from './token-uses.ts';

/** The data that the conditions of a commit need. It is read synchronously, together with the write of the commit. */
export interface CommitView {
  slot(resource: string, revision: Revision): Slot | undefined;
  readonly row: (key: ObjectKey) => CheckedRow | undefined;
  /** The NoExecute taints of a node; `undefined` if the node does not exist. */
  noExecuteOf(node: string): readonly NoExecuteTaint[] | undefined;
  readonly heartbeats: Pick<HeartbeatTable, 'get'>;
  readonly capacity: CapacityTables;
  readonly turns: Pick<TurnTable, 'get'>;
  readonly addresses: AddressTables;
  readonly tokenUses: Pick<TokenUseTable, 'get'>;
}

const objectHolds = (row: ReturnType<CommitView['row']>, { expected, revision }: Commit): boolean => {
  if (row !== undefined && row.revision >= revision) return false;
  return expected === undefined ? row?.state !== 'live' : row?.state === 'live' && row.revision === expected;
};

const checkHolds = (view: CommitView, { check }: Commit): boolean =>
  !check || isDeepStrictEqual(view.noExecuteOf(check.node), check.noExecute);

const takenSlot = (view: CommitView, { key, entry, preceding }: Commit): Slot | undefined =>
  view.slot(key.resource, entry.revision) ?? (preceding && view.slot(key.resource, preceding.revision));

/** Why a commit must not be written, or `committed` if it was already written; `undefined` if it may be written. */
export const refusal = (view: CommitView, commit: Commit): CommitOutcome | undefined => {
  const slot = takenSlot(view, commit);
  if (slot) {
    const isOurs = slot.slot === 'entry' && slot.attempt === commit.entry.attempt;
    return isOurs ? { outcome: 'committed' } : { outcome: 'slotTaken', slot };
  }
  if (!objectHolds(view.row(commit.key), commit)) return { outcome: 'objectConflict' };
  const held =
    effectHolds(view.heartbeats, commit.heartbeat) &&
    checkHolds(view, commit) &&
    capacityHolds(view.capacity, commit.capacity) &&
    rowChecksHold(view.row, commit.rows ?? [], commit.key) &&
    turnHolds(view.turns, commit.turn) &&
    addressesHold(view.addresses, commit.addresses) &&
    useHolds(view.tokenUses, commit.tokenUse);
  return held ? undefined : { outcome: 'checkFailed' };
};
