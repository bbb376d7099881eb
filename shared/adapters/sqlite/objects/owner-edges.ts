import type { EdgeTables, StoredEdge } from '../../in-process/owner-edges.ts';
import type { Database } from '../file/database.ts';

interface EdgeColumns {
  readonly dependent: string;
  readonly controller: number;
  readonly blocking: number;
  readonly summary: string | null;
}

const toEdge = ({ dependent, controller, blocking, summary }: EdgeColumns): StoredEdge => ({
  dependent,
  controller: controller === 1,
  blockOwnerDeletion: blocking === 1,
  ...(summary === null ? {} : { summary }),
});

/** Owner edges in a table of `objects.db`. */
export const createEdgeTables = (objects: Database): EdgeTables => {
  const put = objects.prepare(`INSERT INTO owner_edge (owner, dependent, controller, blocking, summary)
    VALUES (?, ?, ?, ?, ?) ON CONFLICT (owner, dependent) DO UPDATE
    SET controller = excluded.controller, blocking = excluded.blocking, summary = excluded.summary`);
  const remove = objects.prepare('DELETE FROM owner_edge WHERE owner = ? AND dependent = ?');
  const between =
    objects.prepare<EdgeColumns>(`SELECT dependent, controller, blocking, summary FROM owner_edge
    WHERE owner = ? AND dependent > ? AND dependent < ? ORDER BY dependent LIMIT ?`);
  const isComplete = objects.prepare<{ id: number }>('SELECT id FROM owner_edges_complete');
  const complete = objects.prepare('INSERT OR IGNORE INTO owner_edges_complete (id) VALUES (1)');
  return {
    put: (owner, { dependent, controller, blockOwnerDeletion, summary }) =>
      put.run(owner, dependent, Number(controller), Number(blockOwnerDeletion), summary ?? null),
    remove: (owner, dependent) => remove.run(owner, dependent),
    between: (owner, after, before, limit) => between.all(owner, after, before, limit).map(toEdge),
    areComplete: () => isComplete.get() !== undefined,
    complete: () => complete.run(),
  };
};
