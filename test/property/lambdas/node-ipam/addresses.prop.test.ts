import fc from 'fast-check';
import { afterEach, describe, expect, it } from 'vitest';
import { createMemoryState } from '../../../../shared/adapters/memory/state.ts';
import { createVirtualClock } from '../../../../shared/adapters/memory/virtual-clock.ts';
import { sqliteStates } from '../../../support/stores/sqlite-folders.ts';
import { addressDay } from './address-days.ts';

const sqlite = sqliteStates();

afterEach(sqlite.dispose);

describe('addresses of Nodes with faults', () => {
  it('are never given twice, and nothing leaks (C-11 to C-18)', async () => {
    let [allocations, crashes, exhausted] = [0, 0, 0];
    await fc.assert(
      fc.asyncProperty(fc.integer(), async (seed) => {
        const day = await addressDay(seed, createMemoryState(), createVirtualClock(), 400);
        expect(day.faults).toEqual([]);
        allocations += day.allocations;
        crashes += day.crashes;
        exhausted += day.exhausted;
      }),
      { numRuns: 10 },
    );
    // The runs meet what they are about.
    expect(allocations).toBeGreaterThan(100);
    expect(crashes).toBeGreaterThan(40);
    expect(exhausted).toBeGreaterThan(10);
  });

  it('agree with the Nodes at quiet in SQLite, too, where the sweep alone gives them (C-18)', async () => {
    await fc.assert(
      fc.asyncProperty(fc.integer(), async (seed) => {
        const clock = createVirtualClock();
        const day = await addressDay(seed, sqlite.open(clock), clock, 200);
        expect(day.faults).toEqual([]);
      }),
      { numRuns: 3 },
    );
  });
});
