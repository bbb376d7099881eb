// Lists after a long time without lists: thousands of slots above the watermark.
import { describe, expect, it } from 'vitest';
import { createMemoryState } from '../../../../shared/adapters/memory/state.ts';
import { createVirtualClock } from '../../../../shared/adapters/memory/virtual-clock.ts';
import type { ApiObject } from '../../../../shared/kube/types/meta.ts';
import type { ObjectStore, ReadLag } from '../../../../shared/ports/store/object-store.ts';
import { createLister } from '../../../../shared/store/lists/lists.ts';
import { createLogReader } from '../../../../shared/store/log/log-reader.ts';
import { createObjectWriter } from '../../../../shared/store/writer/object-writer.ts';

const RESOURCE = 'configmaps';
const LAGGING: ReadLag = { tableMs: 10_000, indexMs: 70_000 };
const NO_LAG: ReadLag = { tableMs: 0, indexMs: 0 };
/** The most slots that a list may hold at a time. */
const MOST_SLOTS = 256;
const CHANGES = 3_000;
const NAMES = 20;

class Killed extends Error {}

const objectOf = (name: string, change: number): ApiObject =>
  ({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { namespace: 'default', name, uid: name },
    data: { change: String(change) },
  }) as ApiObject;

/** `shortest`: slots after which every read ends, as if they were large. */
const setUp = (lag: ReadLag, shortest = Number.POSITIVE_INFINITY) => {
  const clock = createVirtualClock();
  const state = createMemoryState();
  const reads = { most: 0, sum: 0, left: Number.POSITIVE_INFINITY };
  const objects: ObjectStore = {
    ...state.objects,
    lag,
    slots: async (resource, from, to) => {
      const read = await state.objects.slots(resource, from, Math.min(to, from + shortest - 1));
      const { slots } = read;
      if (reads.left < slots.size) throw new Killed();
      reads.left -= slots.size;
      reads.most = Math.max(reads.most, slots.size);
      reads.sum += slots.size;
      return read;
    },
  };
  let serial = 0;
  const uuid = (): string => {
    serial += 1;
    return `id-${serial}`;
  };
  const ids = { uuid, random: () => 0.5 };
  const writer = createObjectWriter({ objects: state.objects, heartbeats: state.heartbeats, clock, ids });
  const write = async (count: number) => {
    for (let n = 0; n < count; n += 1) {
      const name = `n${n % NAMES}`;
      await writer.write({ resource: RESOURCE, namespace: 'default', name }, () => ({
        next: objectOf(name, n),
        writer: 'client',
      }));
    }
  };
  const lister = createLister({ objects, clock, ids });
  const list = () => clock.run(lister.list({ resource: RESOURCE, namespace: '' }));
  return { clock, reads, state, lister, write, list };
};

const changesIn = (objects: readonly ApiObject[]): readonly number[] =>
  objects
    .map((object) => Number((object as unknown as { data: { change: string } }).data.change))
    .toSorted((a, b) => a - b);

const LAST = Array.from({ length: NAMES }, (_, n) => CHANGES - NAMES + n);

describe.each([
  ['without lag', NO_LAG],
  ['with lag', LAGGING],
])('a list after thousands of changes without a list, %s', (_, lag) => {
  it('is exact, and reads few slots at a time (V-12)', async () => {
    const { reads, write, list } = setUp(lag);
    await write(CHANGES);
    const { objects } = await list();
    expect(changesIn(objects)).toEqual(LAST);
    expect(reads.sum).toBeGreaterThanOrEqual(CHANGES);
    expect(reads.most).toBeLessThanOrEqual(MOST_SLOTS);
  });

  it('continues where an earlier attempt was killed (V-13)', async () => {
    const { clock, reads, write, list } = setUp(lag);
    await write(CHANGES);
    let attempts = 0;
    for (let isDone = false; !isDone; attempts += 1) {
      expect(attempts).toBeLessThan(2 * (CHANGES / MOST_SLOTS));
      // What the process can hold before it is killed.
      reads.left = 2 * MOST_SLOTS - 1;
      isDone = await list().then(
        () => true,
        (error: unknown) => {
          if (!(error instanceof Killed)) throw error;
          return false;
        },
      );
      clock.advance(lag.tableMs);
    }
    reads.left = Number.POSITIVE_INFINITY;
    expect(changesIn((await list()).objects)).toEqual(LAST);
  });

  it('raises the watermark only to what it has resolved when it is killed (V-10)', async () => {
    const { reads, state, write, list } = setUp(lag);
    await write(CHANGES);
    reads.left = 2 * MOST_SLOTS - 1;
    await expect(list()).rejects.toThrow(Killed);
    const counter = await state.objects.counter(RESOURCE);
    expect(counter?.watermarks.map(({ revision }) => revision - counter.seed)).toEqual([MOST_SLOTS]);
  });

  it('leaves no slots to read for the next list', async () => {
    const { clock, reads, write, list } = setUp(lag);
    await write(CHANGES);
    await list();
    clock.advance(lag.tableMs);
    reads.sum = 0;
    expect(changesIn((await list()).objects)).toEqual(LAST);
    expect(reads.sum).toBeLessThan(32);
  });
});

describe('a list behind a few large changes', () => {
  it('raises the watermark, so that the next one does not read them again (V-16)', async () => {
    const { reads, write, list } = setUp(NO_LAG, 4);
    await write(NAMES);
    await list();
    expect(reads.sum).toBe(NAMES);
    reads.sum = 0;
    await list();
    expect(reads.sum).toBeLessThanOrEqual(4);
  });
});

describe('a page of a revision before thousands of changes', () => {
  it('shows that revision, and reads few slots at a time', async () => {
    const { clock, reads, lister, write } = setUp(NO_LAG);
    await write(NAMES);
    const request = { resource: RESOURCE, namespace: '', limit: 5 };
    let page = await clock.run(lister.list(request));
    await write(CHANGES);
    const pages = [page];
    while (page.next) {
      page = await clock.run(lister.list({ ...request, continueAt: page.next }));
      pages.push(page);
    }
    expect(changesIn(pages.flatMap(({ objects }) => objects))).toEqual(
      Array.from({ length: NAMES }, (_, n) => n),
    );
    expect(reads.most).toBeLessThanOrEqual(MOST_SLOTS);
  });
});

describe('a list after an hour of watches without lists', () => {
  it('finds a watermark that a reader of the log has raised', async () => {
    const { clock, reads, state, write, list } = setUp(NO_LAG);
    await write(NAMES);
    const { revision } = await list();
    const ids = { uuid: () => 'reader', random: () => 0.5 };
    // It begins a little behind the list, as a watch does.
    await write(40);
    const reader = createLogReader({ objects: state.objects, clock, ids }, RESOURCE, revision + 40);
    await write(CHANGES);
    for (let polls = 0; polls <= CHANGES / MOST_SLOTS; polls += 1) await clock.run(reader.poll());
    reads.sum = 0;
    expect(changesIn((await list()).objects)).toEqual(LAST);
    expect(reads.sum).toBeLessThan(MOST_SLOTS + 32);
  });

  it('does not use a reader that began far above the watermark', async () => {
    const { clock, reads, state, write, list } = setUp(NO_LAG);
    await write(CHANGES);
    const counter = await state.objects.counter(RESOURCE);
    const ids = { uuid: () => 'reader', random: () => 0.5 };
    const reader = createLogReader({ objects: state.objects, clock, ids }, RESOURCE, counter?.counter ?? 0);
    await write(CHANGES);
    for (let polls = 0; polls <= CHANGES / MOST_SLOTS; polls += 1) await clock.run(reader.poll());
    expect((await state.objects.counter(RESOURCE))?.watermarks).toEqual([]);
    expect(changesIn((await list()).objects)).toEqual(LAST);
    expect(reads.sum).toBeGreaterThanOrEqual(2 * CHANGES);
  });
});
