import { expect, it } from 'vitest';
import { createMemoryState } from '../../shared/adapters/memory/state.ts';
import { createVirtualClock } from '../../shared/adapters/memory/virtual-clock.ts';
import { addressDay } from '../property/lambdas/node-ipam/address-days.ts';

/** Allocations and releases together. */
const CHANGES = 100_000;
/** Writes of clients in one day, which begins without Nodes. */
const A_DAY = 5_000;

/** A first seed of one's own repeats a run; days count up from it. */
const first = Number(process.env['FAULTS_SEED'] ?? Math.floor(Date.now() / 1000));

it(`addresses of Nodes are never given twice and never leak, over ${CHANGES} of both`, async () => {
  let [allocations, releases, crashes, exhausted] = [0, 0, 0, 0];
  for (let seed = first; allocations + releases < CHANGES; seed += 1) {
    const day = await addressDay(seed, createMemoryState(), createVirtualClock(), A_DAY);
    expect(day.faults, `repeat with FAULTS_SEED=${seed}`).toEqual([]);
    allocations += day.allocations;
    releases += day.releases;
    crashes += day.crashes;
    exhausted += day.exhausted;
  }
  process.stdout.write(
    `${allocations} allocations, ${releases} releases, ${exhausted} without a block, ${crashes} crashes, seed ${first}\n`,
  );
  expect(allocations + releases).toBeGreaterThanOrEqual(CHANGES);
});
