import { NODE_LEASE_NAMESPACE } from '../../../kube/types/well-known.ts';
import type { EpochMs } from '../../../kube/values/time.ts';
import type { HeartbeatEffect } from '../../../ports/store/commit.ts';
import { applyEffect, entryPath } from '../../in-process/heartbeat-effects.ts';
import type { HeartbeatTable } from '../../in-process/tables.ts';
import type { Database } from '../file/database.ts';
import { keyOf } from '../file/rows.ts';
import { livingNodes } from '../objects/objects.ts';

/** What the reconciliation needs. `retentionMs`: milliseconds after which a repaired item without beats expires. */
export interface ReconcileDeps {
  readonly objects: Database;
  readonly heartbeats: Database;
  readonly rows: HeartbeatTable;
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
  // An entry of an earlier Node with the same name is retired first, because its Lease was deleted with that Node.
  ...(entry === undefined ? [] : [{ effect: 'retire', node, version, expiresAt } as const]),
  ...(living === undefined ? [] : [{ effect: 'adopt', node, uid: living, expiresAt } as const]),
];

/**
 * Makes the uids of heartbeat items equal to those of their Nodes, and returns the number of items that differed. They differ
 * after a crash, because a commit is atomic only within each of the two files. Items that agree are not written.
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
