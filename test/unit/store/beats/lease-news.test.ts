// What watches of Leases are told between two scans.
import { describe, expect, it } from 'vitest';
import { createMemoryState } from '../../../../shared/adapters/memory/state.ts';
import { createVirtualClock } from '../../../../shared/adapters/memory/virtual-clock.ts';
import type { EpochMs } from '../../../../shared/kube/values/time.ts';
import type { ObjectStore } from '../../../../shared/ports/store/object-store.ts';
import type { LeaseNews } from '../../../../shared/store/beats/lease-news.ts';
import {
  createLocalLeaseNews,
  followLeaseNotes,
  noteLease,
  withLeaseListener,
} from '../../../../shared/store/beats/lease-news.ts';
import { createTestApi, type Json, LEASES, NODES, START } from '../../../support/servers/api.ts';

const admin = { as: 'admin' } as const;
const lease = (name: string, holderIdentity = name) => ({ metadata: { name }, spec: { holderIdentity } });

interface Told {
  readonly event: string;
  /** Milliseconds after the watch began. */
  readonly at: EpochMs;
  readonly object: Json;
}

/** Two processes over one store: one writes, the other watches. */
const twoProcesses = () => {
  const clock = createVirtualClock(START);
  const state = createMemoryState();
  const scans = { count: 0, units: 0 };
  const objects: ObjectStore = {
    ...state.objects,
    takeRevisions: async (resource, ...rest) => {
      if (resource === 'leases') scans.units += 1;
      return state.objects.takeRevisions(resource, ...rest);
    },
  };
  const heartbeats = {
    ...state.heartbeats,
    async *scan() {
      scans.count += 1;
      yield* state.heartbeats.scan();
    },
  };
  const stores = withLeaseListener(
    { ...state, objects, heartbeats },
    { onChange: noteLease({ objects, clock }) },
  );
  const writing = createTestApi({ clock, state: stores });
  const watching = createTestApi({
    clock,
    state: { ...state, heartbeats },
    leaseNews: followLeaseNotes({ objects: state.objects, clock }),
  });
  return { clock, scans, state, writing, watching };
};

/** One process that alone writes Leases. */
const oneProcess = () => {
  const clock = createVirtualClock(START);
  const news = createLocalLeaseNews();
  const told = (key: Parameters<typeof news.add>[0]): void => {
    news.add(key);
    api.watches.committed('leases');
  };
  const stores = withLeaseListener(createMemoryState(), { onChange: told, onRenewal: told });
  const api = createTestApi({ clock, state: stores, leaseNews: news satisfies LeaseNews });
  return { clock, writing: api, watching: api };
};

type World = Pick<ReturnType<typeof oneProcess>, 'clock' | 'writing' | 'watching'>;

const follow = async ({ clock, writing, watching }: World, during: () => Promise<unknown>) => {
  // Tokens are signed and verified before the clock runs: that is real work.
  await writing.send('GET', `${LEASES}/none`, admin);
  const { stream } = await watching.open(`${LEASES}?watch=1&timeoutSeconds=30`, admin);
  if (!stream) throw new Error('no stream');
  const from = clock.now();
  const told: Told[] = [];
  const read = async (): Promise<void> => {
    for await (const piece of stream)
      for (const line of piece.split('\n').filter(Boolean)) {
        const { type, object } = JSON.parse(line);
        told.push({ event: `${type} ${object.metadata.name}`, at: clock.now() - from, object });
      }
  };
  await clock.run(Promise.all([read(), clock.sleep(700).then(during)]));
  return told;
};

const MOMENT_MS = 600;

describe.each([
  ['of another process', twoProcesses],
  ['of the same process', oneProcess],
])('a watch of Leases %s', (_, createWorld) => {
  it('shows at once that one was created, and that it was deleted', async () => {
    const world = createWorld();
    const { clock, writing } = world;
    const at: Record<string, number> = {};
    const from = clock.now();
    const told = await follow(world, async () => {
      for (const name of ['a', 'b']) {
        at[`ADDED ${name}`] = clock.now() - from;
        await writing.send('POST', LEASES, { ...admin, body: lease(name) });
        await clock.sleep(1_300);
      }
      at['DELETED a'] = clock.now() - from;
      await writing.send('DELETE', `${LEASES}/a`);
    });
    expect(told.map(({ event }) => event)).toEqual(['ADDED a', 'ADDED b', 'DELETED a']);
    for (const { event, at: when } of told) expect(when - (at[event] ?? 0)).toBeLessThanOrEqual(MOMENT_MS);
  });

  it('shows at once that a Lease was deleted with its node', async () => {
    const world = createWorld();
    const { clock, writing } = world;
    await writing.send('POST', NODES, { ...admin, body: { metadata: { name: 'n1' } } });
    await writing.send('POST', LEASES, { ...admin, body: lease('n1') });
    const from = clock.now();
    let deletedAt = 0;
    const told = await follow(world, async () => {
      await clock.sleep(1_000);
      deletedAt = clock.now() - from;
      await writing.send('DELETE', `${NODES}/n1`);
    });
    expect(told.map(({ event }) => event)).toEqual(['ADDED n1', 'DELETED n1']);
    expect((told[1]?.at ?? 0) - deletedAt).toBeLessThanOrEqual(MOMENT_MS);
  });
});

describe('a client that renews a Lease by the version from its watch', () => {
  it('never has an old version on a host', async () => {
    const world = oneProcess();
    const { clock, writing } = world;
    const codes: number[] = [];
    let cached: Json;
    const { stream } = await world.watching.open(`${LEASES}?watch=1&timeoutSeconds=10`, admin);
    const read = async (): Promise<void> => {
      for await (const piece of stream ?? [])
        for (const line of piece.split('\n').filter(Boolean)) cached = JSON.parse(line).object;
    };
    const renew = async (): Promise<void> => {
      await writing.send('POST', LEASES, { ...admin, body: lease('a') });
      for (let n = 0; n < 8; n += 1) {
        await clock.sleep(500);
        codes.push((await writing.send('PUT', `${LEASES}/a`, { ...admin, body: cached })).code);
      }
    };
    await clock.run(Promise.all([read(), clock.sleep(100).then(renew)]));
    expect(codes).toEqual(Array.from({ length: 8 }, () => 200));
  });
});

describe('notes of Leases', () => {
  it('cost renewals nothing, and save watches a scan', async () => {
    const world = twoProcesses();
    const { clock, scans, writing } = world;
    await follow(world, async () => {
      await writing.send('POST', LEASES, { ...admin, body: lease('a') });
      const { json } = await writing.send('GET', `${LEASES}/a`);
      let body = json;
      for (let n = 0; n < 5; n += 1) {
        await clock.sleep(10);
        body = (await writing.send('PUT', `${LEASES}/a`, { ...admin, body })).json;
      }
    });
    expect(scans.units).toBe(1);
    // One each five seconds, and the first.
    expect(scans.count).toBeLessThanOrEqual(7);
  });

  it('that are too many to be read one by one cause a scan', async () => {
    const { clock, state } = twoProcesses();
    const news = followLeaseNotes({ objects: state.objects, clock });
    expect(await news.take()).toEqual([]);
    const note = noteLease({ objects: state.objects, clock });
    for (let n = 0; n < 100; n += 1) await note({ namespace: 'x', name: `l${n}` });
    clock.advance(1_000);
    expect(await news.take()).toBe('all');
    await note({ namespace: 'x', name: 'one' });
    clock.advance(1_000);
    expect(await news.take()).toEqual(['x/one']);
  });

  it('are awaited if the revision is taken and the note is not stored yet', async () => {
    const { clock, state } = twoProcesses();
    const news = followLeaseNotes({ objects: state.objects, clock });
    await news.take();
    const { highest: revision } = await state.objects.takeRevisions('leases', 1, clock.now());
    clock.advance(1_000);
    expect(await news.take()).toEqual([]);
    await state.objects.putTombstone('leases', {
      slot: 'tombstone',
      revision,
      attempt: 'x/late',
      at: clock.now(),
    });
    clock.advance(1_000);
    expect(await news.take()).toEqual(['x/late']);
    clock.advance(1_000);
    expect(await news.take()).toEqual([]);
  });
});
