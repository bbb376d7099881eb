import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Chance } from '../../../../shared/adapters/hostile/chance.ts';
import { createChance } from '../../../../shared/adapters/hostile/chance.ts';
import { createMemoryState } from '../../../../shared/adapters/memory/state.ts';
import { createVirtualClock } from '../../../../shared/adapters/memory/virtual-clock.ts';
import { StatusError } from '../../../../shared/kube/errors/status-error.ts';
import type { Revision } from '../../../../shared/ports/store/rows.ts';
import { createLister } from '../../../../shared/store/lists/lists.ts';
import { createLogReader } from '../../../../shared/store/log/log-reader.ts';
import { createObjectWriter } from '../../../../shared/store/writer/object-writer.ts';
import { createExpiringObjectStore } from '../../../support/stores/expiring-object-store.ts';

const RESOURCE = 'configmaps';
const HOUR = 3_600_000;

const createWorld = (seed: number) => {
  const clock = createVirtualClock();
  const chance = createChance(seed);
  const { objects, heartbeats } = createMemoryState();
  const ids = { uuid: () => `${chance.next()}`, random: () => chance.next() };
  return {
    chance,
    written: [] as Revision[],
    deps: { clock, ids, heartbeats, objects: createExpiringObjectStore(objects, clock) },
  };
};

type World = ReturnType<typeof createWorld>;

/** Writes for ten hours; one number in eight is taken and abandoned. */
const writer = async ({ deps, chance, written }: World): Promise<void> => {
  const { write } = createObjectWriter(deps);
  const until = deps.clock.now() + 10 * HOUR;
  while (deps.clock.now() < until) {
    if (chance.hit(1 / 8)) await deps.objects.takeRevisions(RESOURCE, 1, deps.clock.now());
    const name = `n${Math.floor(chance.upTo(4))}`;
    const object = {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name, namespace: '', uid: name },
      data: chance.next(),
    };
    const result = await write({ resource: RESOURCE, namespace: '', name }, () => ({
      next: object,
      writer: 'client',
    }));
    if (result.outcome === 'written') written.push(Number(result.object.metadata.resourceVersion));
    await deps.clock.sleep(chance.upTo(HOUR / 10));
  }
};

interface Stay {
  readonly from: Revision;
  readonly seen: Revision[];
}

const isExpired = (error: unknown): boolean => error instanceof StatusError && error.reason === 'Expired';

/** Follows the log with naps of up to five hours; lists again when it is told that it slept too long. */
const sleepyReader = async ({ deps }: World, chance: Chance): Promise<readonly Stay[]> => {
  const stays: Stay[] = [];
  const until = deps.clock.now() + 12 * HOUR;
  while (deps.clock.now() < until) {
    const { revision } = await createLister(deps).list({ resource: RESOURCE, namespace: '' });
    const reader = createLogReader(deps, RESOURCE, revision);
    const stay: Stay = { from: revision, seen: [] };
    stays.push(stay);
    while (deps.clock.now() < until) {
      const entries = await reader.poll().catch((error: unknown) => {
        if (!isExpired(error)) throw error;
      });
      if (!entries) break;
      stay.seen.push(...entries.map((entry) => entry.revision));
      await deps.clock.sleep(chance.hit(0.05) ? chance.upTo(5 * HOUR) : chance.upTo(60_000));
    }
  }
  return stays;
};

describe('a reader that sleeps for hours', () => {
  it('sees every change in the meantime or is told to list again, never a gap (V-11)', async () => {
    await fc.assert(
      fc.asyncProperty(fc.integer(), async (seed) => {
        const world = createWorld(seed);
        const readers = Array.from({ length: 4 }, () => sleepyReader(world, world.chance.fork()));
        const [stays] = await world.deps.clock.run(Promise.all([Promise.all(readers), writer(world)]));
        for (const { from, seen } of stays.flat()) {
          const last = seen.at(-1) ?? from;
          expect(seen).toEqual(world.written.filter((revision) => revision > from && revision <= last));
        }
      }),
      { numRuns: 10 },
    );
  });

  it('is told to list again by 410 Expired, and only when it slept for more than an hour', async () => {
    const world = createWorld(1);
    const { clock } = world.deps;
    const from = await clock.run(createLister(world.deps).list({ resource: RESOURCE, namespace: '' }));
    const reader = createLogReader(world.deps, RESOURCE, from.revision);
    await clock.run(writer(world));
    await expect(clock.run(reader.poll())).rejects.toMatchObject({ code: 410, reason: 'Expired' });
    const late = createLogReader(world.deps, RESOURCE, world.written.at(-8) ?? 0);
    expect((await clock.run(late.poll())).map(({ revision }) => revision)).toEqual(world.written.slice(-7));
  });

  it('is told to list again when its revision is above the counter (V-11)', async () => {
    const { deps } = createWorld(2);
    const { revision } = await deps.clock.run(createLister(deps).list({ resource: RESOURCE, namespace: '' }));
    await expect(createLogReader(deps, RESOURCE, revision + 1).poll()).rejects.toMatchObject({
      reason: 'Expired',
    });
  });
});
