import type { Pod } from '../api/core.ts';
import type { ApiObject } from '../api/meta.ts';
import { resourceExpired } from '../api/status-error.ts';
import type { Counter, LogEntry, ObjectKey, Revision, Row, Slot } from '../ports/object-log.ts';
import type { CommitDeps } from './commit-protocol.ts';
import { applyDiff } from './object-diff.ts';
import { createRevisions } from './revisions.ts';
import { createSlotResolver, HOLE_AGE_MS } from './slot-resolver.ts';
import { visibleUpTo, withWatermark } from './watermarks.ts';

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
}

type State = ReadonlyMap<string, { readonly revision: Revision; readonly object: ApiObject | undefined }>;

const pathOf = ({ namespace, name }: ObjectKey): string => `${namespace}/${name}`;
const isEntry = (slot: Slot): slot is LogEntry => slot.slot === 'entry';

const lagOf = ({ lag }: CommitDeps['log'], { source }: ListRequest): number =>
  source ? lag.indexMs : lag.tableMs;

const readScope = async ({ log }: CommitDeps, request: ListRequest): Promise<Scope> => {
  if (request.source) {
    const { value } = await log.podsByNode(request.source.podsOfNode);
    const inNamespace = ({ namespace }: ObjectKey): boolean =>
      request.namespace === '' || namespace === request.namespace;
    return {
      rows: value.filter(({ key }) => inNamespace(key)),
      contains: ({ key }) => inNamespace(key),
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
 * Lists that are exact at one revision R, whatever writes, crashes and half-visible transactions go on meanwhile: a
 * watermark is read first, then the rows, then R; every slot between the two is settled and laid over the rows. The
 * watermark is the newest that was seen so long ago that every read shows what was committed at or below it by then.
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

  const settleToNow = async (
    resource: string,
    from: Revision,
  ): Promise<{ revision: Revision; slots: readonly Slot[] }> => {
    const { counter } = await revisions.current(resource);
    return { revision: counter, slots: await settleSlots(resource, from, counter) };
  };

  /** The instant is that of the call: the slots were all filled before it. */
  const raise = async (resource: string, before: Counter, revision: Revision): Promise<void> => {
    const next = withWatermark(before, { revision, at: clock.now() }, log.lag);
    if (next) await log.replaceWatermarks(resource, before.watermarks, next);
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
      const floor = await historyFor(resource, request);
      // Before the rows: what another list calls resolved while they are read may be missing in them.
      const before = await revisions.current(resource);
      const visible = visibleUpTo(before, lagOf(log, request), clock.now());
      const scope = await readScope(deps, request);
      const { revision, slots } = await settleToNow(resource, Math.max(visible, floor) + 1);
      const now = overlay(scope.rows, slots.filter(isEntry).filter(scope.contains));
      await raise(resource, before, revision);
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
