import { byText } from '../../kube/text/compare-text.ts';
import type { EdgeTables, StoredEdge } from '../in-process/owner-edges.ts';
import { indexAfter } from './sorted-paths.ts';

interface OwnedEdges {
  readonly byPath: Map<string, StoredEdge>;
  /** The paths in their order, and perhaps some that were removed; `undefined` after one was added, until the next read. */
  paths: readonly string[] | undefined;
}

/** Up to `limit` edges from one of the sorted paths on, below `before`. */
const takeEdges = (
  { byPath }: OwnedEdges,
  paths: readonly string[],
  start: number,
  before: string,
  limit: number,
): readonly StoredEdge[] => {
  const taken: StoredEdge[] = [];
  for (let at = start; at < paths.length && taken.length < limit; at += 1) {
    const path = paths[at] ?? '';
    if (path >= before) break;
    const edge = byPath.get(path);
    if (edge) taken.push(edge);
  }
  return taken;
};

/** Owner edges in memory. They are complete from the start, because nothing is older than the edges. */
export const createMemoryEdges = (): EdgeTables => {
  const owners = new Map<string, OwnedEdges>();
  return {
    put: (owner, edge) => {
      const owned = owners.get(owner) ?? { byPath: new Map<string, StoredEdge>(), paths: undefined };
      owned.byPath.set(edge.dependent, edge);
      owned.paths = undefined;
      owners.set(owner, owned);
    },
    remove: (owner, dependent) => {
      const owned = owners.get(owner);
      owned?.byPath.delete(dependent);
      if (owned?.byPath.size === 0) owners.delete(owner);
    },
    between: (owner, after, before, limit) => {
      const owned = owners.get(owner);
      if (!owned) return [];
      owned.paths ??= [...owned.byPath.keys()].toSorted(byText);
      return takeEdges(owned, owned.paths, indexAfter(owned.paths, after), before, limit);
    },
    areComplete: () => true,
    complete: () => undefined,
  };
};
