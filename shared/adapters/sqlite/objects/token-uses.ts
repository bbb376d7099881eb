import type { TokenUseTable } from '../../in-process/token-uses.ts';
import type { Database } from '../file/database.ts';

/** Uses of tokens in a table of `objects.db`. */
export const createTokenUseTable = (objects: Database): TokenUseTable => {
  const get = objects.prepare<{ readonly uses: number }>('SELECT uses FROM token_use WHERE id = ?');
  const put = objects.prepare('INSERT OR REPLACE INTO token_use (id, uses, expires_at) VALUES (?, ?, ?)');
  return {
    get: (id) => get.get(id)?.uses,
    set: (id, uses, expiresAt) => put.run(id, uses, expiresAt),
  };
};
