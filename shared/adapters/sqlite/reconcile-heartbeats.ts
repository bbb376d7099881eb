import type { EpochMs } from '../../api/time.ts';
import { NODE_LEASE_NAMESPACE } from '../../api/well-known.ts';
import type { HeartbeatEffect } from '../../ports/commit.ts';
import { applyEffect, entryPath } from '../in-process/heartbeat-effects.ts';
import type { Database } from './database.ts';
import type { HeartbeatRows } from './heartbeat-items.ts';
import { livingNodes } from './objects.ts';
import { keyOf } from './rows.ts';

export interface ReconcileDeps {
  readonly objects: Database;
  readonly heartbeats: Database;
  readonly rows: HeartbeatRows;
  readonly retentionMs: number;
}

const entriesIn = (heartbeats: Database): ReadonlyMap<string, string> => {
  const range = `path > '${NODE_LEASE_NAMESPACE}/' AND path < '${NODE_LEASE_NAMESPACE}0'`;
  const all = heartbeats.prepare<{ path: string; uid: string }>(
    `SELECT path, uid FROM item WHERE ${range} AND uid IS NOT NULL`,
  );
  return new Map(all.all().map(({ path, uid }) => [keyOf('leases', path).name, uid]));
};

const repairsOf = (
  node: string,
  living: string | undefined,
  entry: string | undefined,
  version: number,
  expiresAt: EpochMs,
): readonly HeartbeatEffect[] => [
  // Also where another node took the name: the earlier one's Lease went with it.
  ...(entry === undefined ? [] : [{ effect: 'retire', node, version, expiresAt } as const]),
  ...(living === undefined ? [] : [{ effect: 'adopt', node, uid: living, expiresAt } as const]),
];

/**
 * Makes heartbeat items agree with Nodes by uid and returns how many did not: a commit is atomic in each of the two files
 * only, and a crash may have come between them. Nothing is touched where both agree.
 */
export const reconcileHeartbeats = (deps: ReconcileDeps, now: EpochMs): number => {
  const { objects, heartbeats, rows, retentionMs } = deps;
  const [living, entries] = [livingNodes(objects), entriesIn(heartbeats)];
  const differing = [...new Set([...living.keys(), ...entries.keys()])].filter(
    (node) => living.get(node) !== entries.get(node),
  );
  const repair = (node: string): void => {
    const version = Math.max(now, (rows.get(entryPath(node))?.version ?? 0) + 1);
    const repairs = repairsOf(node, living.get(node), entries.get(node), version, now + retentionMs);
    for (const effect of repairs) applyEffect(rows, effect);
  };
  if (differing.length > 0) heartbeats.inTransaction(() => differing.forEach(repair));
  return differing.length;
};
