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
  readonly path: string;
  readonly uid: string;
  readonly facts: string | null;
}

/** Absent: it has to be read. */
interface KnownNode {
  row?: NodeHealthRow | undefined;
  isRead: boolean;
}

const LIVE_NODES = "resource = 'nodes' AND body IS NOT NULL";

const rowOf = ({ path, uid, facts }: Columns): NodeHealthRow | undefined => {
  const { node } = factsOf(facts);
  return node && { name: path.slice(1), uid, ...node };
};

/**
 * The health rows of all nodes, in memory, from the first look on, which reads the index of their facts. One that was written since it was
 * read is read again. So a pass over 100,000 nodes that only beat reads nothing from the file, and makes nothing that has to be collected.
 */
export const createHealthRows = (objects: Database): HealthRows => {
  const columns = `SELECT path, uid, facts FROM object WHERE ${LIVE_NODES}`;
  const page = objects.prepare<Columns>(`${columns} AND path > ? ORDER BY path LIMIT ?`);
  const one = objects.prepare<Columns>(`${columns} AND path = ?`);
  const known = new Map<string, KnownNode>();
  /** Several may look first at the same time. */
  let found: Promise<void> | undefined;

  const written = (path: string): void => {
    const node = known.get(path);
    if (node) node.isRead = false;
    else known.set(path, { isRead: false });
  };
  /** In the step that reads them: a Node that is written before they were noted would stay as it was. */
  const notedPage = (after: string, limit: number): readonly Columns[] => {
    const nodes = page.all(after, limit);
    for (const node of nodes) known.set(node.path, { row: rowOf(node), isRead: true });
    return nodes;
  };
  const find = async (): Promise<void> => {
    for await (const _noted of inParts(notedPage));
  };
  /** Finds all nodes once. One that is written meanwhile is read again. */
  const findOnce = async (): Promise<void> => {
    found ??= find();
    await found.catch((error: unknown) => {
      found = undefined;
      throw error;
    });
  };
  const read = (path: string, node: KnownNode): void => {
    const stored = one.get(path);
    if (!stored) {
      known.delete(path);
      delete node.row;
      return;
    }
    node.row = rowOf(stored);
    node.isRead = true;
  };
  return {
    written,
    forget: () => {
      for (const node of known.values()) node.isRead = false;
    },
    async *nodeHealth() {
      await findOnce();
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
