/** Owner edges over synchronous tables. */

import type {
  Dependent,
  DependentsPage,
  DependentsQuery,
  OwnerEdgeStore,
} from '../../ports/store/owner-edges.ts';
import type { ObjectKey } from '../../ports/store/rows.ts';
import type { EdgeChange, EdgeFlags } from '../../rules/owners/owner-edges.ts';

/** One edge as a table holds it: the path of the dependent is `<resource>/<namespace>/<name>/<uid>`. */
export interface StoredEdge extends EdgeFlags {
  readonly dependent: string;
}

/** The tables of owner edges. */
export interface EdgeTables {
  put(owner: string, edge: StoredEdge): void;
  remove(owner: string, dependent: string): void;
  /** Edges of an owner whose paths are between `after` and `before`, both exclusive, in their order. */
  between(owner: string, after: string, before: string, limit: number): readonly StoredEdge[];
  areComplete(): boolean;
  complete(): void;
}

/** The path of a dependent. Neither names nor the uids that we give out contain a slash. */
export const dependentPath = ({ resource, namespace, name }: ObjectKey, uid: string): string =>
  `${resource}/${namespace}/${name}/${uid}`;

/** The inverse of `dependentPath`. */
export const toDependent = ({ dependent, ...flags }: StoredEdge): Dependent => {
  const [resource = '', namespace = '', name = '', uid = ''] = dependent.split('/');
  return { key: { resource, namespace, name }, uid, ...flags };
};

/** The range of the paths of a resource, or of all; without its ends. `0` is the character after the slash. */
export const pathRange = (
  resource: string | undefined,
): { readonly after: string; readonly before: string } =>
  resource === undefined
    ? { after: '', before: '\u{10FFFF}' }
    : { after: `${resource}/`, before: `${resource}0` };

/** What a commit changes in the edges. */
export interface EdgeWrite {
  readonly key: ObjectKey;
  readonly uid: string;
  readonly edges?: EdgeChange;
}

/** Puts and removes the edges of a commit whose conditions hold. */
export const applyEdges = (tables: EdgeTables, { key, uid, edges }: EdgeWrite): void => {
  if (!edges) return;
  const dependent = dependentPath(key, uid);
  for (const { owner, ...flags } of edges.puts) tables.put(owner, { dependent, ...flags });
  for (const owner of edges.removes) tables.remove(owner, dependent);
};

const readPage = (tables: EdgeTables, { owner, resource, after, limit }: DependentsQuery): DependentsPage => {
  const range = pathRange(resource);
  const found = tables.between(owner, after ?? range.after, range.before, limit + 1);
  const shown = found.slice(0, limit);
  const last = shown.at(-1)?.dependent;
  const dependents = shown.map(toDependent);
  return found.length > limit && last !== undefined ? { dependents, next: last } : { dependents };
};

/** Owner edges over synchronous tables. */
export const createOwnerEdgeStore = (tables: EdgeTables): OwnerEdgeStore => ({
  dependents: async (query) => readPage(tables, query),
  areComplete: async () => tables.areComplete(),
  complete: async () => tables.complete(),
});
