import type { Pod } from '../api/core.ts';
import type { ApiObject } from '../api/meta.ts';
import { resourceExpired } from '../api/status-error.ts';
import type { EpochMs } from '../api/time.ts';
import type { LogEntry, ObjectKey, Revision, Row, Slot } from '../ports/object-log.ts';
import type { CommitDeps } from './commit-protocol.ts';
import { NUMBER_MAX_AGE_MS } from './commit-protocol.ts';
import { applyDiff } from './object-diff.ts';
import { createRevisions } from './revisions.ts';
import { createSlotResolver, HOLE_AGE_MS } from './slot-resolver.ts';

/** Entries this young (ms) may be missing in rows that lag; an entry is as old as its number. 0: none is missing. */
const lookbackOf = (lagMs: number): number => (lagMs === 0 ? 0 : NUMBER_MAX_AGE_MS + lagMs);

/** Slots read at a time when looking back. */
const LOOKBACK_BATCH = 16;
/** The watermark is moved when a list had to look at this many slots. */
const RAISE_AFTER = 32;

export interface ListPosition {
  readonly revision: Revision;
  /** Exclusive `namespace/name`. */
  readonly after: string;
}

export interface ListRequest {
  readonly resource: string;
  /** `''` for all namespaces. */
  readonly namespace: string;
  readonly source?: { readonly podsOfNode: string };
  readonly limit?: number;
  readonly continueAt?: ListPosition;
}

export interface ListResult {
  /** The list is exactly the state after this revision. */
  readonly revision: Revision;
  /** Sorted by `namespace/name`. */
  readonly objects: readonly ApiObject[];
  readonly next?: ListPosition;
}

export interface Lister {
  /** Throws 410 `Expired` when `continueAt` is below the floor or above the counter. */
  list(request: ListRequest): Promise<ListResult>;
}

interface Scope {
  readonly rows: readonly Row[];
  /** End of the range that was read, inclusive; `undefined`: to the end. */
  readonly end?: string;
  readonly contains: (entry: LogEntry) => boolean;
  readonly lookbackMs: number;
}

type State = ReadonlyMap<string, { readonly revision: Revision; readonly object: ApiObject | undefined }>;

const pathOf = ({ namespace, name }: ObjectKey): string => `${namespace}/${name}`;
const isEntry = (slot: Slot): slot is LogEntry => slot.slot === 'entry';

const readScope = async ({ log }: CommitDeps, request: ListRequest): Promise<Scope> => {
  if (request.source) {
    const { value } = await log.podsByNode(request.source.podsOfNode);
    const inNamespace = ({ namespace }: ObjectKey): boolean =>
      request.namespace === '' || namespace === request.namespace;
    return {
      rows: value.filter(({ key }) => inNamespace(key)),
      contains: ({ key }) => inNamespace(key),
      lookbackMs: lookbackOf(log.lag.indexMs),
    };
  }
  const { resource, namespace, limit, continueAt } = request;
  const after = continueAt?.after;
  const page = await log.page({
    resource,
    namespace,
    ...(after === undefined ? {} : { after }),
    ...(limit ? { limit } : {}),
  });
  const end = page.next;
  const contains = ({ key }: LogEntry): boolean => {
    const path = pathOf(key);
    return (
      (namespace === '' || key.namespace === namespace) &&
      path > (after ?? '') &&
      (end === undefined || path <= end)
    );
  };
  return {
    rows: page.rows,
    contains,
    lookbackMs: lookbackOf(log.lag.tableMs),
    ...(end === undefined ? {} : { end }),
  };
};

const overlay = (rows: readonly Row[], entries: readonly LogEntry[]): State => {
  const state = new Map<string, { revision: Revision; object: ApiObject | undefined }>();
  for (const row of rows) {
    state.set(pathOf(row.key), {
      revision: row.revision,
      object: row.state === 'live' ? row.object : undefined,
    });
  }
  for (const entry of entries) {
    const path = pathOf(entry.key);
    if ((state.get(path)?.revision ?? 0) >= entry.revision) continue;
    state.set(path, {
      revision: entry.revision,
      object: entry.type === 'DELETED' ? undefined : entry.object,
    });
  }
  return state;
};

const undo = (state: State, newestFirst: readonly LogEntry[]): State => {
  const undone = new Map(state);
  for (const { key, object, before, revision } of newestFirst) {
    undone.set(pathOf(key), {
      revision: revision - 1,
      object: before === null ? undefined : applyDiff(object, before),
    });
  }
  return undone;
};

const byText = (a: string, b: string): number => (a < b ? -1 : Number(a > b));

const sorted = (state: State): readonly (readonly [string, ApiObject])[] =>
  [...state]
    .flatMap(([path, { object }]) => (object ? [[path, object] as const] : []))
    .toSorted(([a], [b]) => byText(a, b));

const resultOf = (
  state: State,
  revision: Revision,
  limit: number | undefined,
  end: string | undefined,
): ListResult => {
  const found = sorted(state);
  const cut = limit ? found.slice(0, limit) : found;
  const after = cut.length < found.length ? cut.at(-1)?.[0] : end;
  const objects = cut.map(([, object]) => object);
  return after === undefined ? { revision, objects } : { revision, objects, next: { revision, after } };
};

/**
 * Lists that are exact at one revision R, whatever writes, crashes and half-visible transactions go on meanwhile: the
 * watermark is read first, then the rows, then R; every slot up to R is settled, and what the rows may lack is laid over
 * them. A change at or below the watermark was committed before the rows were read: either long enough ago for every read
 * to see it, or within the time that is looked back.
 */
export const createLister = (deps: CommitDeps): Lister => {
  const { log, clock, ids } = deps;
  const revisions = createRevisions(deps);

  /** Waits until every slot in [from, to] is filled, and returns them. */
  const settleSlots = async (resource: string, from: Revision, to: Revision): Promise<readonly Slot[]> => {
    const resolver = createSlotResolver(deps, resource);
    for (;;) {
      const { slots, waitingFor } = await resolver.resolve(from, to);
      if (waitingFor === undefined) return slots;
      await clock.sleep(HOLE_AGE_MS / 8 + ids.random() * 100);
    }
  };

  /** Slots below `to` that may be younger than `cutoff`, oldest first. */
  const lookBack = async (
    resource: string,
    to: Revision,
    floor: Revision,
    cutoff: EpochMs,
  ): Promise<readonly Slot[]> => {
    const from = Math.max(floor + 1, to - LOOKBACK_BATCH + 1);
    if (from > to) return [];
    // All of them are filled; one that this read does not show yet is waited for.
    const slots = await settleSlots(resource, from, to);
    const done = from === floor + 1 || slots.some(({ at }) => at < cutoff);
    return done ? slots : [...(await lookBack(resource, from - 1, floor, cutoff)), ...slots];
  };

  const settleToNow = async (
    resource: string,
    from: Revision,
  ): Promise<{ revision: Revision; slots: readonly Slot[] }> => {
    const { counter } = await revisions.current(resource);
    return { revision: counter, slots: await settleSlots(resource, from, counter) };
  };

  const olderThan = (
    resource: string,
    from: Revision,
    floor: Revision,
    { lookbackMs }: Scope,
    startedAt: EpochMs,
  ) => (lookbackMs === 0 ? [] : lookBack(resource, from - 1, floor, startedAt - lookbackMs));

  const raise = async (resource: string, from: Revision, revision: Revision): Promise<void> => {
    if (revision - from >= RAISE_AFTER) await log.raiseResolved(resource, revision);
  };

  const historyFor = async (resource: string, { continueAt }: ListRequest): Promise<Revision> => {
    const floor = await revisions.floor(resource);
    if (!continueAt) return floor;
    const { counter } = await revisions.current(resource);
    if (continueAt.revision < floor || continueAt.revision > counter) throw expiredContinue();
    return floor;
  };

  const entriesAfter = async (resource: string, from: Revision, to: Revision): Promise<readonly LogEntry[]> =>
    (await settleSlots(resource, from + 1, to)).filter(isEntry);

  return {
    list: async (request) => {
      const { resource, continueAt } = request;
      const startedAt = clock.now();
      const floor = await historyFor(resource, request);
      // Before the rows: what another list calls resolved while they are read may be missing in them.
      const from = Math.max((await revisions.current(resource)).resolved, floor) + 1;
      const scope = await readScope(deps, request);
      const { revision, slots } = await settleToNow(resource, from);
      const older = await olderThan(resource, from, floor, scope, startedAt);
      const recent = [...older, ...slots].filter(isEntry).filter(scope.contains);
      const now = overlay(scope.rows, recent);
      await raise(resource, from, revision);
      const limit = request.limit;
      if (!continueAt) return resultOf(ofNode(now, request), revision, limit, scope.end);
      const since = (await entriesAfter(resource, continueAt.revision, revision)).filter(scope.contains);
      return resultOf(undo(now, since.toReversed()), continueAt.revision, limit, scope.end);
    },
  };
};

/** Entries bring pods of every node; the index has those of one. */
const ofNode = (state: State, { source }: ListRequest): State => {
  if (!source) return state;
  return new Map(
    [...state].filter(([, { object }]) => (object as Pod | undefined)?.spec.nodeName === source.podsOfNode),
  );
};

const expiredContinue = (): Error =>
  resourceExpired(
    'The provided continue parameter is too old to display a consistent list result. You can start a new list without the continue parameter.',
  );
