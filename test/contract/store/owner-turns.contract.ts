// Turns of owners: one run at a time, and commits that check it.
import { randomUUID } from 'node:crypto';
import { beforeEach, describe, expect, it } from 'vitest';
import type { ObjectStore } from '../../../shared/ports/store/object-store.ts';
import type { BegunTurn, OwnerTurnStore, TurnStart } from '../../../shared/ports/store/owner-turns.ts';
import { CLOCK_SKEW_MS } from '../../../shared/rules/zones/future-instants.ts';
import { change, podKey, T0 } from '../../support/stores/builders.ts';

export interface TurnStores {
  readonly objects: ObjectStore;
  readonly ownerTurns: OwnerTurnStore;
}

const LEASE_MS = 10_000;

const begun = (start: TurnStart): BegunTurn => {
  if (start.outcome !== 'begun') throw new Error(`the turn is ${start.outcome}`);
  return start.turn;
};

export const ownerTurnsContract = (name: string, create: () => Promise<TurnStores>): void => {
  describe(`turns of owners in ${name}`, () => {
    let stores: TurnStores;
    let owner: string;
    const begin = (run: string, now = T0) => stores.ownerTurns.begin(owner, run, now, LEASE_MS);
    const childOf = async (turn: Pick<BegunTurn, 'owner' | 'number'>, key = podKey(randomUUID())) =>
      (await change(stores.objects, { key, turn: { owner: turn.owner, number: turn.number } })).outcome
        .outcome;

    beforeEach(async () => {
      stores = await create();
      owner = randomUUID();
    });

    it('a run begins the first turn, with the clock as its number (W-31)', async () => {
      expect(await begin('a')).toEqual({
        outcome: 'begun',
        turn: { owner, run: 'a', number: T0 },
        isTakenOver: false,
      });
    });

    it('another run finds it held and marks it; only the first mark says so (W-31, W-34)', async () => {
      await begin('a');
      const held = { outcome: 'held', until: T0 + LEASE_MS };
      expect(await begin('b', T0 + 1)).toEqual({ ...held, wasMarked: false });
      expect(await begin('c', T0 + 1)).toEqual({ ...held, wasMarked: true });
    });

    it('a marked turn ends only after its mark was cleared (W-34)', async () => {
      const turn = begun(await begin('a'));
      await begin('b', T0 + 1);
      expect(await stores.ownerTurns.end(turn)).toBe('wanted');
      expect(await begin('b', T0 + 2)).toMatchObject({ outcome: 'held', wasMarked: false });
      expect(await stores.ownerTurns.end(turn)).toBe('wanted');
      expect(await stores.ownerTurns.end(turn)).toBe('ended');
    });

    it('after its end the next turn has a higher number and was not taken over (W-31)', async () => {
      const turn = begun(await begin('a'));
      await stores.ownerTurns.end(turn);
      expect(await begin('b')).toEqual({
        outcome: 'begun',
        turn: { owner, run: 'b', number: T0 + 1 },
        isTakenOver: false,
      });
      expect(await stores.ownerTurns.end(turn)).toBe('lost');
    });

    it.each([
      ['it has expired', T0 + LEASE_MS],
      ['the clock was set back since', T0 - CLOCK_SKEW_MS - 1],
    ])('a turn is taken over if %s (W-31)', async (_why, now) => {
      const turn = begun(await begin('a'));
      expect(await begin('b', now)).toMatchObject({ outcome: 'begun', isTakenOver: true });
      expect(await stores.ownerTurns.renew(turn, now, LEASE_MS)).toBe(false);
      expect(await stores.ownerTurns.end(turn)).toBe('lost');
    });

    it('a renewed turn is held for longer (W-31)', async () => {
      const turn = begun(await begin('a'));
      expect(await stores.ownerTurns.renew(turn, T0 + 9_000, LEASE_MS)).toBe(true);
      expect(await begin('b', T0 + LEASE_MS)).toMatchObject({ outcome: 'held', until: T0 + 19_000 });
    });

    it('a run may begin its own turn again, and the mark of the old one is gone (W-31)', async () => {
      await begin('a');
      await begin('b');
      const turn = begun(await begin('a'));
      expect(turn.number).toBe(T0 + 1);
      expect(await stores.ownerTurns.end(turn)).toBe('ended');
    });

    it('a commit of a child needs the raised number, whatever its name (W-32)', async () => {
      const turn = begun(await begin('a'));
      expect(await childOf(turn)).toBe('checkFailed');
      expect(await stores.ownerTurns.raise(turn, T0)).toBe(true);
      for (let child = 0; child < 20; child += 1) expect(await childOf(turn)).toBe('committed');
      expect(await childOf({ owner: randomUUID(), number: turn.number })).toBe('checkFailed');
    });

    it('once a later turn was raised, no earlier run can commit or raise (W-32)', async () => {
      const earlier = begun(await begin('a'));
      await stores.ownerTurns.raise(earlier, T0);
      const later = begun(await begin('b', T0 + LEASE_MS));
      expect(await childOf(earlier)).toBe('committed');
      await stores.ownerTurns.raise(later, T0);
      for (let child = 0; child < 20; child += 1) expect(await childOf(earlier)).toBe('checkFailed');
      expect(await stores.ownerTurns.raise(earlier, T0)).toBe(false);
      expect(await childOf(later)).toBe('committed');
    });

    it('the end of a turn does not lower its number (W-32)', async () => {
      const turn = begun(await begin('a'));
      await stores.ownerTurns.raise(turn, T0);
      await stores.ownerTurns.end(turn);
      const next = begun(await begin('b'));
      await stores.ownerTurns.raise(next, T0);
      expect(await childOf(turn)).toBe('checkFailed');
    });

    it('of two runs that begin at the same time one has the turn (W-31)', async () => {
      const starts = await Promise.all(['a', 'b', 'c'].map((run) => begin(run)));
      expect(starts.filter(({ outcome }) => outcome === 'begun')).toHaveLength(1);
    });
  });
};
