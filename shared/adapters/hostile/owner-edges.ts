import { byText } from '../../kube/text/compare-text.ts';
import type {
  Dependent,
  DependentsPage,
  DependentsQuery,
  OwnerEdgeStore,
} from '../../ports/store/owner-edges.ts';
import { dependentPath, pathRange } from '../in-process/owner-edges.ts';
import { halfVisible, type SharedHistory } from './object-store.ts';
import type { HostileProcess } from './process.ts';

const pathOf = ({ key, uid }: Dependent): string => dependentPath(key, uid);

/** Paths of recorded edges in the range of a page. */
const recordedIn = (
  { edges }: SharedHistory,
  { owner, resource, after }: DependentsQuery,
  { next }: DependentsPage,
): readonly string[] => {
  const range = pathRange(resource);
  const first = after ?? range.after;
  return edges
    .paths()
    .filter((path) => path.startsWith(`${owner}/`))
    .map((path) => path.slice(owner.length + 1))
    .filter((path) => path > first && (next === undefined ? path < range.before : path <= next));
};

/** A page as a reader may see it: each edge that came or went in the last seconds may be as it was before. */
const lagging = (
  shared: SharedHistory,
  process: HostileProcess,
  query: DependentsQuery,
  page: DependentsPage,
): DependentsPage => {
  const current = new Map(page.dependents.map((one) => [pathOf(one), one]));
  const paths = [...new Set([...current.keys(), ...recordedIn(shared, query, page)])].toSorted(byText);
  const dependents = paths.flatMap(
    (path) => halfVisible(process, shared.edges, `${query.owner}/${path}`, current.get(path)) ?? [],
  );
  return { ...page, dependents };
};

/** Wraps an `OwnerEdgeStore` with faults, for one process. It does only what DynamoDB may do, too. */
export const createHostileOwnerEdgeStore = (
  inner: OwnerEdgeStore,
  shared: SharedHistory,
  process: HostileProcess,
): OwnerEdgeStore => {
  const { call } = process;
  return {
    dependents: (query) => call(async () => lagging(shared, process, query, await inner.dependents(query))),
    areComplete: () => call(() => inner.areComplete()),
    complete: () => call(() => inner.complete()),
  };
};
