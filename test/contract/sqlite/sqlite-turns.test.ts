/** Turns of owners that a killed process has not ended. */
import { afterEach, describe, expect, it } from 'vitest';
import { T0 } from '../../support/stores/builders.ts';
import { sqliteStates } from '../../support/stores/sqlite-folders.ts';

const LEASE_MS = 20_000;

const { open, dispose } = sqliteStates();
afterEach(dispose);

describe('a turn that an earlier process has not ended', () => {
  it('is over when a host starts, and the next one has a higher number', async () => {
    const { ownerTurns, release } = open({ now: () => T0 });
    const first = await ownerTurns.begin('scheduler', 'killed', T0, LEASE_MS);
    expect(await ownerTurns.begin('scheduler', 'next', T0 + 1, LEASE_MS)).toMatchObject({ outcome: 'held' });
    release();
    const second = await ownerTurns.begin('scheduler', 'next', T0 + 1, LEASE_MS);
    expect(second).toMatchObject({ outcome: 'begun', isTakenOver: false });
    expect(
      second.outcome === 'begun' && first.outcome === 'begun' && second.turn.number > first.turn.number,
    ).toBe(true);
  });

  it('cannot be prolonged or ended by its run', async () => {
    const { ownerTurns, release } = open({ now: () => T0 });
    const start = await ownerTurns.begin('scheduler', 'killed', T0, LEASE_MS);
    release();
    if (start.outcome !== 'begun') throw new Error('it was not begun');
    expect(await ownerTurns.renew(start.turn, T0 + 1, LEASE_MS)).toBe(false);
    expect(await ownerTurns.end(start.turn)).toBe('lost');
  });
});
