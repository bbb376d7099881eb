import { state } from '../migrations/0001-0010/0001-state.ts';
import { feedAndQueues } from '../migrations/0001-0010/0002-feed-and-queues.ts';
import { watermarks } from '../migrations/0001-0010/0003-watermarks.ts';
import { liveObjects } from '../migrations/0001-0010/0004-live-objects.ts';
import { expiryInLog } from '../migrations/0001-0010/0005-expiry-in-log.ts';
import { clock } from '../migrations/0001-0010/0006-clock.ts';
import { ahead } from '../migrations/0001-0010/0007-ahead.ts';
import { claims } from '../migrations/0001-0010/0008-claims.ts';
import { ownerEdges } from '../migrations/0001-0010/0009-owner-edges.ts';
import { ownerTurns } from '../migrations/0001-0010/0010-owner-turns.ts';
import { addresses } from '../migrations/0011-0020/0011-addresses.ts';
import { capacitySweep } from '../migrations/0011-0020/0012-capacity-sweep.ts';
import { edgeSummaries } from '../migrations/0011-0020/0013-edge-summaries.ts';
import { podGc } from '../migrations/0011-0020/0014-pod-gc.ts';
import { relays } from '../migrations/0011-0020/0015-relays.ts';
import { unsavedBeats } from '../migrations/0011-0020/0016-unsaved-beats.ts';
import { notices } from '../migrations/0011-0020/0017-notices.ts';
import { traces } from '../migrations/0011-0020/0018-traces.ts';
import { beatGroups } from '../migrations/0011-0020/0019-beat-groups.ts';
import { tokenUses } from '../migrations/0011-0020/0020-token-uses.ts';
import { holds } from '../migrations/0021-0030/0021-holds.ts';
import type { Migration } from '../migrations/migration.ts';
import type { Database } from './database.ts';
import { SqliteProblem } from './problem.ts';

/** The version of a file is the number of applied migrations, stored in `user_version`. */
const MIGRATIONS: readonly Migration[] = [
  state,
  feedAndQueues,
  watermarks,
  liveObjects,
  expiryInLog,
  clock,
  ahead,
  claims,
  ownerEdges,
  ownerTurns,
  addresses,
  capacitySweep,
  edgeSummaries,
  podGc,
  relays,
  unsavedBeats,
  notices,
  traces,
  beatGroups,
  tokenUses,
  holds,
];

/** The version to which `migrate` brings a file by default. */
export const NEWEST = MIGRATIONS.length;

/** The version of a file; 0 for a new one. */
export const versionOf = (database: Database): number =>
  database.prepare<{ user_version: number }>('PRAGMA user_version').get()?.user_version ?? 0;

/** Brings a file to `target`, one transaction for each step. Throws `SqliteProblem` of kind `newer`. */
export const migrate = (
  database: Database,
  kind: keyof Migration,
  folder: string,
  target: number = NEWEST,
): { readonly from: number; readonly to: number } => {
  const from = versionOf(database);
  if (from > NEWEST) throw new SqliteProblem('newer', folder);
  for (const [index, step] of MIGRATIONS.entries()) {
    const version = index + 1;
    if (version <= from || version > target) continue;
    database.inTransaction(() => database.exec(`${step[kind]}; PRAGMA user_version = ${version}`));
  }
  return { from, to: Math.max(from, target) };
};
