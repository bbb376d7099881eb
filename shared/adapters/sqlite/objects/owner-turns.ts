import type { StoredTurn, TurnTable } from '../../in-process/owner-turns.ts';
import type { Database } from '../file/database.ts';

/**
 * Ends the turns that an earlier process has not ended: its runs have ended with it, and what they wrote is visible. Their numbers stay. Who
 * waited for such a turn has a message of its own, which is handled again.
 */
export const releaseTurns = (objects: Database): number =>
  objects
    .prepare(
      `UPDATE owner_turn SET body = json_set(json_remove(body, '$.run', '$.wanted'), '$.leaseUntil', 0)
      WHERE json_extract(body, '$.run') IS NOT NULL`,
    )
    .run();

/** Turns of owners in a table of `objects.db`. */
export const createTurnTable = (objects: Database): TurnTable => {
  const get = objects.prepare<{ readonly body: string }>('SELECT body FROM owner_turn WHERE owner = ?');
  const put = objects.prepare('INSERT OR REPLACE INTO owner_turn (owner, body, expires_at) VALUES (?, ?, ?)');
  return {
    get: (owner) => {
      const found = get.get(owner);
      return found && (JSON.parse(found.body) as StoredTurn);
    },
    set: (owner, turn, expiresAt) => put.run(owner, JSON.stringify(turn), expiresAt),
  };
};
