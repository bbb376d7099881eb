/**
 * Presents the store of Events as `events.k8s.io/v1`: reads and writes through it convert from and to the stored
 * core/v1 form.
 */
import { toCoreEvent, toEventsV1 } from '../../kube/types/event-versions.ts';
import type { LogEntry, Slot } from '../../ports/store/change-log.ts';
import type { ObjectStore } from '../../ports/store/object-store.ts';
import type { Row } from '../../ports/store/rows.ts';
import { applyDiff, diffObjects } from '../../store/commit/object-diff.ts';
import type { Lister } from '../../store/lists/lists.ts';
import type { ObjectWrite, ObjectWriter, WriteResult } from '../../store/writer/object-writer.ts';
import type { WatchChange } from '../changes/change.ts';
import type { Handle } from '../contract/call.ts';
import type { ApiServerDeps } from '../contract/deps.ts';
import type { Subscription } from '../feed/subscription.ts';
import type { StatePart, Watched } from '../feed/watched.ts';
import type { Watches } from '../feed/watches.ts';

const viewRow = (row: Row | undefined): Row | undefined =>
  row?.state === 'live' ? { ...row, object: toEventsV1(row.object) } : row;

const viewEntry = (entry: LogEntry): LogEntry => {
  const object = toEventsV1(entry.object);
  if (entry.before === null) return { ...entry, object };
  return { ...entry, object, before: diffObjects(object, toEventsV1(applyDiff(entry.object, entry.before))) };
};

const viewSlot = (slot: Slot): Slot => (slot.slot === 'entry' ? viewEntry(slot) : slot);

const viewLog = (objects: ObjectStore): ObjectStore => ({
  ...objects,
  read: async (key) => viewRow(await objects.read(key)),
  slots: async (resource, from, to) => {
    const { slots, upTo } = await objects.slots(resource, from, to);
    return { slots: new Map([...slots].map(([revision, slot]) => [revision, viewSlot(slot)])), upTo };
  },
});

const viewLister = ({ list }: Lister): Lister => ({
  list: async (request) => {
    const result = await list(request);
    return { ...result, objects: result.objects.map(toEventsV1) };
  },
});

const storedChange = (change: ObjectWrite | undefined): ObjectWrite | undefined => {
  if (!change) return undefined;
  const { next, lastState } = change;
  return {
    ...change,
    next: next === 'delete' ? next : toCoreEvent(next),
    ...(lastState ? { lastState: toCoreEvent(lastState) } : {}),
  };
};

const viewResult = (result: WriteResult): WriteResult => {
  if (result.outcome === 'written') return { ...result, object: toEventsV1(result.object) };
  return result.outcome === 'unchanged' ? { ...result, row: viewRow(result.row) } : result;
};

const viewWriter = ({ write }: ObjectWriter): ObjectWriter => ({
  write: async (key, decide) =>
    viewResult(await write(key, (row, now) => storedChange(decide(viewRow(row), now)))),
});

const viewChange = (change: WatchChange): WatchChange => ({
  ...change,
  object: toEventsV1(change.object),
  previous: () => {
    const previous = change.previous();
    return previous && toEventsV1(previous);
  },
});

const viewSubscription = (subscription: Subscription<WatchChange>): Subscription<WatchChange> => ({
  ...subscription,
  next: async (until) => (await subscription.next(until)).map(viewChange),
});

async function* viewState(parts: AsyncIterable<StatePart>): AsyncGenerator<StatePart> {
  for await (const part of parts) yield { ...part, objects: part.objects.map(toEventsV1) };
}

const viewWatched = (watched: Watched): Watched => ({
  ...watched,
  changes: {
    ...watched.changes,
    subscribe: (from, signal) => viewSubscription(watched.changes.subscribe(from, signal)),
  },
  state: (request) => viewState(watched.state(request)),
});

const viewWatches = (watches: Watches): Watches => ({
  ...watches,
  stored: (resource) => viewWatched(watches.stored(resource)),
});

/** Wraps a verb of `events.k8s.io/v1` so that it works on the store of core/v1 Events. */
export const inEventsV1 =
  (handle: Handle<ApiServerDeps>): Handle<ApiServerDeps> =>
  (call, deps) =>
    handle(call, {
      ...deps,
      objects: viewLog(deps.objects),
      lister: viewLister(deps.lister),
      writer: viewWriter(deps.writer),
      watches: viewWatches(deps.watches),
    });
