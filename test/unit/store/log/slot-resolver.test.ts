import { describe, expect, it } from 'vitest';
import { createMemoryState } from '../../../../shared/adapters/memory/state.ts';
import { createVirtualClock } from '../../../../shared/adapters/memory/virtual-clock.ts';
import { createSlotResolver } from '../../../../shared/store/log/slot-resolver.ts';

const RESOURCE = 'configmaps';

const setUp = async () => {
  const clock = createVirtualClock();
  const { objects } = createMemoryState();
  const { highest: last } = await objects.takeRevisions(RESOURCE, 3, clock.now());
  const ids = { uuid: () => 'reader', random: () => 0.5 };
  const fill = (revision: number) =>
    objects.putTombstone(RESOURCE, { slot: 'tombstone', revision, attempt: 'writer', at: clock.now() });
  const resolve = () => createSlotResolver({ objects, clock, ids }, RESOURCE).resolve(last - 2, last);
  return { clock, last, fill, resolve };
};

describe('a hole that is seen for the first time', () => {
  it('is left to its writer while the slots after it are young (V-07)', async () => {
    const { clock, last, fill, resolve } = await setUp();
    await fill(last);
    clock.advance(4_999);
    expect(await resolve()).toMatchObject({ slots: [], waitingFor: last - 2 });
  });

  it('is filled if a slot after it is so old that the writer has given up its revision (V-07)', async () => {
    const { clock, last, fill, resolve } = await setUp();
    await fill(last);
    clock.advance(5_000);
    const { slots, waitingFor } = await resolve();
    expect(waitingFor).toBeUndefined();
    expect(slots.map(({ revision, attempt }) => [revision, attempt])).toEqual([
      [last - 2, 'reader'],
      [last - 1, 'reader'],
      [last, 'writer'],
    ]);
  });

  it('is left to its writer if no slot is after it', async () => {
    const { clock, last, fill, resolve } = await setUp();
    await fill(last - 1);
    clock.advance(60_000);
    const { slots, waitingFor } = await resolve();
    expect(slots.map(({ revision }) => revision)).toEqual([last - 2, last - 1]);
    expect(waitingFor).toBe(last);
  });
});
