/** Reads objects by key and uid, and those that name an owner. */
import type { ApiObject } from '../../kube/types/meta.ts';
import type { ObjectStore } from '../../ports/store/object-store.ts';
import type { Dependent, OwnerEdgeStore } from '../../ports/store/owner-edges.ts';
import type { LiveRow, ObjectKey } from '../../ports/store/rows.ts';
import { liveRow } from '../../ports/store/rows.ts';
import { inParallel } from '../turns/in-parallel.ts';

/** Edges of one page. */
const EDGES_AT_ONCE = 1_000;
/** Rows read at the same time. */
const ROWS_AT_ONCE = 64;

/** Rows that are read before other work of the process may run. */
const ROWS_IN_A_TURN = 256;

/** What reading dependents needs. */
export interface DependentsDeps {
  readonly objects: Pick<ObjectStore, 'read'>;
  readonly ownerEdges: Pick<OwnerEdgeStore, 'dependents'>;
  /** Lets other work of the process run: an owner may have thousands of dependents. Absent where there is none. */
  readonly pause?: (() => Promise<void>) | undefined;
}

/** The stored object of this key, if it still has this uid. */
export const readLive = async (
  { objects }: Pick<DependentsDeps, 'objects'>,
  { key, uid }: Pick<LiveRow, 'key' | 'uid'>,
): Promise<LiveRow | undefined> => {
  const row = liveRow(await objects.read(key));
  return row?.uid === uid ? row : undefined;
};

const isThere = (row: LiveRow | undefined): row is LiveRow => row !== undefined;

/** The rows of these keys that are there, with the uid where one is given. */
export const readRows = async (
  { objects, pause }: Pick<DependentsDeps, 'objects' | 'pause'>,
  wanted: readonly { readonly key: ObjectKey; readonly uid?: string }[],
): Promise<readonly LiveRow[]> => {
  const found: LiveRow[] = [];
  for (let from = 0; from < wanted.length; from += ROWS_IN_A_TURN) {
    if (from > 0) await pause?.();
    const rows = await inParallel(wanted.slice(from, from + ROWS_IN_A_TURN), ROWS_AT_ONCE, async (one) => {
      const row = liveRow(await objects.read(one.key));
      return one.uid === undefined || row?.uid === one.uid ? row : undefined;
    });
    found.push(...rows.filter(isThere));
  }
  return found;
};

/** The edges of the objects of a resource that name the owner with this uid, in pages that grow eightfold from `firstPage` edges on. */
async function* edgePages(
  { ownerEdges }: Pick<DependentsDeps, 'ownerEdges'>,
  owner: string,
  resource: string,
  firstPage: number,
): AsyncGenerator<readonly Dependent[]> {
  let after: string | undefined;
  for (let limit = firstPage; ; limit = Math.min(limit * 8, EDGES_AT_ONCE)) {
    const from = after === undefined ? {} : { after };
    const page = await ownerEdges.dependents({ owner, resource, limit, ...from });
    yield page.dependents;
    if (page.next === undefined) return;
    after = page.next;
  }
}

/** The rows of the same objects, in the same pages. */
async function* dependentPages(
  deps: DependentsDeps,
  owner: string,
  resource: string,
  firstPage: number,
): AsyncGenerator<readonly LiveRow[]> {
  for await (const edges of edgePages(deps, owner, resource, firstPage)) yield await readRows(deps, edges);
}

/** The rows of all objects of a resource that name the owner with this uid. */
export const readDependents = async (
  deps: DependentsDeps,
  owner: string,
  resource: string,
): Promise<readonly LiveRow[]> =>
  (await Array.fromAsync(dependentPages(deps, owner, resource, EDGES_AT_ONCE))).flat();

/** A dependent by its row, or by what its edge says. */
export type KnownDependent = Pick<LiveRow, 'key' | 'uid' | 'object'>;

/**
 * The dependents of an owner as their edges describe them. `describe` returns what the edge says, or `undefined` if the dependent has
 * to be read. An edge may lag behind its object for up to `ObjectStore.lag.tableMs`, see `OwnerEdgeStore`.
 */
export const readDescribed = async (
  deps: DependentsDeps,
  owner: string,
  resource: string,
  describe: (edge: Dependent) => ApiObject | undefined,
): Promise<readonly KnownDependent[]> => {
  const found: KnownDependent[] = [];
  for await (const edges of edgePages(deps, owner, resource, EDGES_AT_ONCE)) {
    await deps.pause?.();
    const unknown: Dependent[] = [];
    for (const edge of edges) {
      const object = describe(edge);
      if (object) found.push({ key: edge.key, uid: edge.uid, object });
      else unknown.push(edge);
    }
    for (const row of await readRows(deps, unknown)) found.push(row);
  }
  return found;
};

/** Whether a dependent is as `is` says. It begins with one edge, because most questions are answered by the first row. */
export const someDependent = async (
  deps: DependentsDeps,
  owner: string,
  resource: string,
  is: (row: LiveRow) => boolean,
): Promise<boolean> => {
  for await (const rows of dependentPages(deps, owner, resource, 1)) if (rows.some(is)) return true;
  return false;
};

/** The children of an owner and the `candidates` for adoption, by uid. */
export const readChildren = async (
  deps: DependentsDeps,
  owner: string,
  resource: string,
  candidates: readonly Pick<LiveRow, 'key' | 'uid'>[],
): Promise<ReadonlyMap<string, LiveRow>> => {
  const own = await readDependents(deps, owner, resource);
  return new Map([...(await readRows(deps, candidates)), ...own].map((row) => [row.uid, row]));
};
