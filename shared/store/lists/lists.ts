import { resourceExpired } from '../../kube/errors/status-error.ts';
import type { Pod } from '../../kube/types/core.ts';
import type { ApiObject } from '../../kube/types/meta.ts';
import { optional } from '../../kube/values/optional.ts';
import type { Counter } from '../../ports/store/change-log.ts';
import type { LiveRow, ObjectKey, Revision } from '../../ports/store/rows.ts';
import type { CommitDeps } from '../commit/commit-protocol.ts';
import { createRevisions } from '../commit/revisions.ts';
import type { ListScope, ListState } from '../log/list-state.ts';
import { createListState, pathOf } from '../log/list-state.ts';
import { SLOTS_AT_ONCE, settledSlots } from '../log/settled-slots.ts';
import { createWatermarkRaiser } from '../log/watermark-raiser.ts';
import { visibleUpTo } from '../log/watermarks.ts';
import type { Remaining } from './remaining.ts';
import { createRemaining } from './remaining.ts';

/** Where a list continues. */
export interface ListPosition {
  /** The revision of the list; `undefined`: the newest one, regardless of the earlier pages. */
  readonly revision?: Revision;
  /** Exclusive `namespace/name`. */
  readonly after: string;
}

/** A way to read less than the whole range: the pods of a node by an index, or one object by its key. */
export type ListSource =
  | { readonly podsOfNode: string }
  | { readonly named: string }
  | { readonly unbound: true };

/** Which objects to list. */
export interface ListRequest {
  readonly resource: string;
  /** `''` for all namespaces, or cluster-scoped objects. */
  readonly namespace: string;
  readonly source?: ListSource;
  /** Objects to return at most; absent or 0: all. */
  readonly limit?: number;
  /** Where the previous page ended; absent for the first page. */
  readonly continueAt?: ListPosition;
  /** Whether to count the objects after the page. */
  readonly counts?: boolean;
}

/** One page of a list. */
export interface ListResult {
  /** The list is exactly the state after this revision. */
  readonly revision: Revision;
  /** Sorted by `namespace/name`. */
  readonly objects: readonly ApiObject[];
  /** Where the next page starts. It may be present even if this page has fewer objects than the limit, or none. */
  readonly next?: ListPosition;
  /** Number of objects after the page, if requested and if the store counts them. Concurrent changes may be missed. */
  readonly remaining?: number;
}

/** Reads lists page by page. */
export interface Lister {
  /** Reads one page. Throws 410 `Expired` when the revision of `continueAt` is below the floor or above the counter. */
  list(request: ListRequest): Promise<ListResult>;
}

const lagOf = ({ lag }: CommitDeps['objects'], { source }: ListRequest): number =>
  source && !('named' in source) ? lag.indexMs : lag.tableMs;

const always = (): boolean => true;

const isOnNode =
  (node: string) =>
  (object: ApiObject): boolean =>
    (object as Pod).spec.nodeName === node;

const isUnbound = (object: ApiObject): boolean => !(object as Pod).spec.nodeName;

const rangeOf =
  ({ namespace, continueAt }: ListRequest, end?: string) =>
  (key: ObjectKey): boolean => {
    const path = pathOf(key);
    const isBehind = path > (continueAt?.after ?? '') && (end === undefined || path <= end);
    return isBehind && (namespace === '' || key.namespace === namespace);
  };

const within = (rows: readonly LiveRow[], contains: ListScope['contains']): readonly LiveRow[] =>
  rows.filter(({ key }) => contains(key));

const readNodeScope = async (
  { objects }: CommitDeps,
  request: ListRequest,
  node: string,
): Promise<ListScope> => {
  const contains = rangeOf(request);
  const { value } = await objects.podsByNode(node);
  return { rows: within(value, contains), contains, selects: isOnNode(node) };
};

/** More pods that wait for a node are read from the table, page by page: the index has no order. */
const MOST_UNBOUND = 1_000;

/** `undefined`: they are too many for one read. */
const readUnboundScope = async (
  { objects }: CommitDeps,
  request: ListRequest,
): Promise<ListScope | undefined> => {
  const contains = rangeOf(request);
  const rows: LiveRow[] = [];
  for await (const { value } of objects.unboundPods()) {
    rows.push(...value);
    if (rows.length > MOST_UNBOUND) return undefined;
  }
  return { rows: within(rows, contains), contains, selects: isUnbound };
};

const readNamedScope = async (
  { objects }: CommitDeps,
  request: ListRequest,
  name: string,
): Promise<ListScope> => {
  const isInRange = rangeOf(request);
  const contains = (key: ObjectKey): boolean => key.name === name && isInRange(key);
  const { resource, namespace } = request;
  const row = await objects.read({ resource, namespace, name });
  return { rows: within(row?.state === 'live' ? [row] : [], contains), contains, selects: always };
};

interface ReadScope extends ListScope {
  /** Number of rows after the page, if the store counted them. */
  readonly behind?: number;
}

/** `undefined`: the list is read from the table. */
const readSource = async (deps: CommitDeps, request: ListRequest): Promise<ReadScope | undefined> => {
  const { source } = request;
  if (!source) return undefined;
  if ('named' in source) return await readNamedScope(deps, request, source.named);
  if ('podsOfNode' in source) return await readNodeScope(deps, request, source.podsOfNode);
  return await readUnboundScope(deps, request);
};

const readScope = async (deps: CommitDeps, request: ListRequest): Promise<ReadScope> => {
  const found = await readSource(deps, request);
  if (found) return found;
  const { resource, namespace, limit, continueAt, counts } = request;
  const { rows, next, behind } = await deps.objects.page({
    resource,
    namespace,
    ...(continueAt === undefined ? {} : { after: continueAt.after }),
    ...(limit ? { limit } : {}),
    ...(counts ? { counts } : {}),
  });
  const end = next === undefined ? {} : { end: next };
  const counted = behind === undefined ? {} : { behind };
  return { rows, contains: rangeOf(request, next), selects: always, ...end, ...counted };
};

const resultOf = (
  state: ListState,
  remaining: Remaining,
  revision: Revision,
  { limit, end }: { readonly limit: number | undefined; readonly end: string | undefined },
): ListResult => {
  const found = state.sorted();
  const cut = limit ? found.slice(0, limit) : found;
  const after = cut.length < found.length ? cut.at(-1)?.[0] : end;
  const objects = cut.map(([, object]) => object);
  if (after === undefined) return { revision, objects };
  const left = remaining.with(found.length - cut.length);
  return { revision, objects, next: { revision, after }, ...optional('remaining', left) };
};

interface Settling {
  readonly resource: string;
  /** Rows that are read now include every change up to this revision. */
  readonly visible: Revision;
  /** The counter, read before the rows. */
  readonly known: Counter;
}

/**
 * Lists that are exact at one revision R, despite concurrent writes, crashes and half-visible transactions. The lister reads a
 * watermark first, then the rows, then R. It resolves every slot between watermark and R and applies those changes to the rows.
 * The watermark is the newest one that is old enough for every read to show all commits at or below it.
 * Slots are resolved in batches and each batch raises the watermark, so that the work of a killed attempt is not lost.
 */
export const createLister = (deps: CommitDeps, slotsAtOnce: number = SLOTS_AT_ONCE): Lister => {
  const { objects, clock } = deps;
  const revisions = createRevisions(deps);

  const begin = async (request: ListRequest): Promise<Settling> => {
    const { resource, continueAt } = request;
    const wanted = continueAt?.revision;
    if (continueAt && wanted === undefined) await revisions.skip(resource, deps.ids.uuid());
    const floor = await revisions.floor(resource);
    const known = await revisions.current(resource);
    if (wanted !== undefined && (wanted < floor || wanted > known.counter)) throw expiredRevision();
    const shown = Math.max(visibleUpTo(known, lagOf(objects, request), clock.now()), floor);
    const visible = await objects.filledUpTo(resource, shown, known.counter);
    // So that the next list has less to count.
    if (visible > shown) await createWatermarkRaiser(deps, revisions, resource, known).raise(visible);
    return { resource, known, visible };
  };

  /** Applies the entries after `from` to the state. */
  const settle = async (
    states: readonly Pick<ListState, 'apply'>[],
    { resource, known }: Settling,
    from: Revision,
    to: Revision,
  ): Promise<void> => {
    const watermark = createWatermarkRaiser(deps, revisions, resource, known);
    const range = { from: from + 1, to, atOnce: slotsAtOnce };
    let settled = from;
    for await (const { slots, isLarge } of settledSlots(deps, resource, range)) {
      for (const slot of slots) if (slot.slot === 'entry') for (const state of states) state.apply(slot);
      settled += slots.length;
      await watermark.raise(settled, { areLarge: isLarge });
    }
  };

  return {
    list: async (request) => {
      // This comes before the rows: they may miss changes below a watermark that another list raises meanwhile.
      const begun = await begin(request);
      const scope = await readScope(deps, request);
      const { counter } = await revisions.current(request.resource);
      const revision = request.continueAt?.revision ?? counter;
      const state = createListState(scope, revision, clock.now());
      const remaining = createRemaining(rangeOf(request), revision, scope);
      await settle([state, remaining], begun, Math.min(begun.visible, revision), counter);
      return resultOf(state, remaining, revision, { limit: request.limit, end: scope.end });
    },
  };
};

const expiredRevision = (): Error => resourceExpired('The resourceVersion for the provided list is too old.');
