import type { StoredTurn, TurnTable } from '../../in-process/owner-turns.ts';
import type { Database } from '../file/database.ts';

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
