import { NODE_LEASE_NAMESPACE } from '../../../kube/types/well-known.ts';
import type { EpochMs } from '../../../kube/values/time.ts';
import type { HeartbeatEffect } from '../../../ports/store/commit.ts';
import type { HeartbeatItem } from '../../../ports/store/heartbeats.ts';
import { applyEffect, entryPath } from '../../in-process/heartbeat-effects.ts';
import type { Database } from '../file/database.ts';
import { livingNodes } from '../objects/objects.ts';
import type { HeartbeatMemory } from './heartbeat-memory.ts';

/** What the reconciliation needs. `retentionMs`: milliseconds after which a repaired item without beats expires. */
export interface ReconcileDeps {
  readonly objects: Database;
  readonly rows: HeartbeatMemory;
  readonly retentionMs: number;
}

/** Entries that have a uid. */
const entriesIn = ({ rows }: ReconcileDeps): readonly HeartbeatItem[] =>
  Array.from(rows.values()).filter(
    ({ namespace, uid }) => namespace === NODE_LEASE_NAMESPACE && uid !== undefined,
  );

/**
 * The uids of Nodes by the names for which they are not those of the entries; `undefined`: an entry has no Node. Most often there are none, and then no
 * map of all Nodes is made.
 */
const differing = (deps: ReconcileDeps): ReadonlyMap<string, string | undefined> => {
  const { objects, rows } = deps;
  const found = new Map<string, string | undefined>();
  let withEntry = 0;
  for (const { name, uid } of livingNodes(objects)) {
    const entry = rows.get(entryPath(name))?.uid;
    if (entry !== undefined) withEntry += 1;
    if (entry !== uid) found.set(name, uid);
  }
  const entries = entriesIn(deps);
  if (entries.length === withEntry) return found;
  const living = new Set(Array.from(livingNodes(objects), ({ name }) => name));
  for (const { name } of entries) if (!living.has(name)) found.set(name, undefined);
  return found;
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
  const { rows, retentionMs } = deps;
  const found = differing(deps);
  const repair = (living: string | undefined, node: string): void => {
    const entry = rows.get(entryPath(node));
    const version = Math.max(now, (entry?.version ?? 0) + 1);
    const repairs = repairsOf(node, living, entry?.uid, version, now + retentionMs);
    for (const effect of repairs) applyEffect(rows, effect);
  };
  if (found.size > 0) rows.together(() => found.forEach(repair));
  return found.size;
};
