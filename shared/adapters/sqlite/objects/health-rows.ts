import { eventual } from '../../../ports/store/eventual.ts';
import type { ObjectStore } from '../../../ports/store/object-store.ts';
import type { NodeHealthRow } from '../../../rules/nodes/node-health.ts';
import type { Database } from '../file/database.ts';
import { factsOf } from '../file/rows.ts';
import { inParts, inSlices } from '../file/turns.ts';

/** What passes read of each node. */
export interface HealthRows extends Pick<ObjectStore, 'nodeHealth'> {
  /** Call it when the node at this path is written, whether or not that is undone. */
  written(path: string): void;
  /** Call it when facts were changed in another way. */
  forget(): void;
}

interface Columns {
  readonly uid: string;
  readonly facts: string | null;
}

/** Absent: it has to be read. */
interface KnownNode {
  row?: NodeHealthRow | undefined;
  isRead: boolean;
}

const LIVE_NODES = "resource = 'nodes' AND body IS NOT NULL";

/**
 * The health rows of all nodes, in memory: one that was written since it was read is read again. So a pass over 100,000 nodes that only beat
 * reads nothing from the file, and makes nothing that has to be collected.
 */
export const createHealthRows = (objects: Database): HealthRows => {
  const paths = objects.prepare<{ readonly path: string }>(
    `SELECT path FROM object WHERE ${LIVE_NODES} AND path > ? ORDER BY path LIMIT ?`,
  );
  const columns = objects.prepare<Columns>(`SELECT uid, facts FROM object WHERE ${LIVE_NODES} AND path = ?`);
  const known = new Map<string, KnownNode>();
  let isWhole = false;

  const written = (path: string): void => {
    const node = known.get(path);
    if (node) node.isRead = false;
    else known.set(path, { isRead: false });
  };
  /** Finds all nodes. One that is written meanwhile may be found before. */
  const find = async (): Promise<void> => {
    for await (const part of inParts((after, limit) => paths.all(after, limit)))
      for (const { path } of part) written(path);
    isWhole = true;
  };
  const read = (path: string, node: KnownNode): void => {
    const found = columns.get(path);
    if (!found) {
      known.delete(path);
      delete node.row;
      return;
    }
    const { node: health } = factsOf(found.facts);
    node.row = health && { name: path.slice(1), uid: found.uid, ...health };
    node.isRead = true;
  };
  return {
    written,
    forget: () => {
      for (const node of known.values()) node.isRead = false;
    },
    async *nodeHealth() {
      if (!isWhole) await find();
      for await (const part of inSlices(known))
        yield eventual(
          part.flatMap(([path, node]) => {
            if (!node.isRead) read(path, node);
            return node.row ?? [];
          }),
        );
    },
  };
};
