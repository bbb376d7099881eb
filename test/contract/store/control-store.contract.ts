// What every ControlStore keeps to.
import { beforeEach, describe, expect, it } from 'vitest';
import type {
  ControlStore,
  DeadlineWrite,
  PodDeadline,
  ZonePassWrite,
} from '../../../shared/ports/store/control-store.ts';
import type { ObjectStore } from '../../../shared/ports/store/object-store.ts';
import { nodeKey } from '../../../shared/ports/store/rows.ts';
import type { HoldBook } from '../../../shared/rules/holds/hold-book.ts';
import { change, EXPIRES_AT, podKey, T0 } from '../../support/stores/builders.ts';

const LEASE_MS = 10_000;

const passContract = (control: () => ControlStore): void => {
  const start = (tick: number, now = tick) => control().startPass(tick, now, LEASE_MS);

  describe('passes', () => {
    it('has no record before the first pass', async () => {
      expect(await control().readPass()).toBeUndefined();
    });

    it('are numbered, and hold a lease', async () => {
      const first = { pass: 1, lastTick: T0, leaseUntil: T0 + LEASE_MS, clockFloor: 0, floorPass: 0 };
      expect(await start(T0)).toEqual(first);
      expect(await control().readPass()).toEqual(first);
      await control().endPass(1, T0 + 1000);
      expect(await start(T0 + 5000)).toMatchObject({ pass: 2, lastTick: T0 + 5000 });
    });

    it('do not start for a tick that is not newer than the last', async () => {
      await start(T0);
      await control().endPass(1, T0 + 1);
      expect(await start(T0, T0 + 100)).toBeUndefined();
      expect(await start(T0 - 1, T0 + 100)).toBeUndefined();
    });

    it('do not start while another pass holds the lease, and start after it has ended', async () => {
      await start(T0);
      expect(await start(T0 + 5000)).toBeUndefined();
      expect(await start(T0 + 9999, T0 + 9999)).toBeUndefined();
      expect(await start(T0 + LEASE_MS)).toMatchObject({ pass: 2 });
    });

    it.each([
      ['three seconds', 3_000, undefined],
      ['ninety seconds', 90_000, 2],
      ['a year', 365 * 86_400_000, 2],
    ])('ignore a last tick too far in the future: clock set back by %s (G-11)', async (_, backMs, pass) => {
      await start(T0);
      await control().endPass(1, T0 + 100);
      expect((await start(T0 - backMs))?.pass).toBe(pass);
      if (pass === undefined) expect(await start(T0 + 101)).toMatchObject({ pass: 2 });
    });

    it('ignore a lease that ends later than one that begins now', async () => {
      await start(T0);
      expect(await start(T0 - 3_600_000)).toMatchObject({ pass: 2, lastTick: T0 - 3_600_000 });
    });

    it('keep the lease when an older pass ends', async () => {
      await start(T0);
      await start(T0 + LEASE_MS);
      await control().endPass(1, T0 + LEASE_MS);
      expect(await start(T0 + LEASE_MS + 1)).toBeUndefined();
    });

    it('note when the last one began that came to its end, and what it saw, through later ones that did not', async () => {
      await start(T0);
      await control().endPass(1, T0 + 600);
      expect(await control().readPass()).not.toHaveProperty('completedAt');
      await start(T0 + 5000);
      await control().endPass(2, T0 + 5600, { at: T0 + 5001, nodes: 0 });
      const completed = { completedAt: T0 + 5001, completedNodes: 0 };
      expect(await control().readPass()).toMatchObject({ pass: 2, leaseUntil: T0 + 5600, ...completed });
      await start(T0 + 10_000);
      await control().endPass(2, T0 + 10_500, { at: T0 + 9000, nodes: 7 });
      await control().endPass(3, T0 + 10_600);
      expect(await control().readPass()).toMatchObject({ pass: 3, leaseUntil: T0 + 10_600, ...completed });
    });

    it('note until when ticks are queued, only over what was read, and keep it through passes', async () => {
      expect(await control().noteQueued(T0, T0 + 1)).toBe(false);
      expect(await control().noteQueued(undefined, T0 + 120_000)).toBe(true);
      expect(await control().noteQueued(undefined, T0 + 180_000)).toBe(false);
      await start(T0);
      await control().endPass(1, T0 + 600, { at: T0, nodes: 1 });
      expect(await control().readPass()).toMatchObject({ pass: 1, queuedUntil: T0 + 120_000 });
      expect(await control().noteQueued(T0 + 120_000, T0 + 60_000)).toBe(true);
      expect(await start(T0 + 5000)).toMatchObject({ pass: 2, queuedUntil: T0 + 60_000 });
    });

    it('start once for several callers with the same tick', async () => {
      const started = await Promise.all(Array.from({ length: 5 }, () => start(T0)));
      expect(started.filter((pass) => pass !== undefined)).toHaveLength(1);
    });

    it('raise the clock floor and the pass number together', async () => {
      await start(T0);
      expect(await control().raiseClockFloor(T0 + 500, 1)).toBe(true);
      expect(await control().readPass()).toMatchObject({ pass: 1, clockFloor: T0 + 500, floorPass: 1 });
      await control().endPass(1, T0 + 600);
      expect(await start(T0 + 5000)).toMatchObject({ pass: 2, clockFloor: T0 + 500, floorPass: 1 });
    });

    it('do not raise the floor after a later pass, and never lower it', async () => {
      await start(T0);
      await start(T0 + LEASE_MS);
      expect(await control().raiseClockFloor(T0 + 500, 1)).toBe(false);
      expect(await control().raiseClockFloor(T0 + 500, 2)).toBe(true);
      expect(await control().raiseClockFloor(T0 + 400, 2)).toBe(true);
      expect(await control().readPass()).toMatchObject({ clockFloor: T0 + 500, floorPass: 2 });
    });

    it('can raise the floor before the first pass', async () => {
      expect(await control().raiseClockFloor(T0, 0)).toBe(true);
      expect(await control().readPass()).toMatchObject({ clockFloor: T0 });
      expect(await start(T0 + 1)).toMatchObject({ pass: 1, clockFloor: T0 });
    });

    it('takes back a floor that is ahead, once, and remembers it', async () => {
      const ahead = T0 + 3_600_000;
      expect(await control().takeBackClockFloor(ahead, T0)).toBe(false);
      expect(await control().readPass()).toBeUndefined();
      await start(T0);
      await control().raiseClockFloor(ahead, 1);
      expect(await control().takeBackClockFloor(T0 - 1, T0)).toBe(false);
      expect(await control().takeBackClockFloor(ahead, T0)).toBe(true);
      expect(await control().takeBackClockFloor(ahead, T0)).toBe(false);
      expect(await control().readPass()).toMatchObject({ clockFloor: T0, aheadFloor: ahead, floorPass: 1 });
      expect(await control().raiseClockFloor(T0 + 5, 1)).toBe(true);
      expect(await control().readPass()).toMatchObject({ clockFloor: T0 + 5, aheadFloor: ahead });
    });
  });
};

const ID = 'eu-west-1-eu-west-1a';
const LIMITER = { rate: 0.1, nextAt: T0 };

const aZone = (zone: Partial<ZonePassWrite> = {}): ZonePassWrite => ({
  id: ID,
  key: 'eu-west-1:\0:eu-west-1a',
  state: 'Normal',
  size: 10,
  notReady: 1,
  limiter: LIMITER,
  waiting: ['n1', 'n2'],
  waitingCount: 2,
  pass: 1,
  updatedAt: T0,
  ...zone,
});

const zonesContract = (control: () => ControlStore): void => {
  describe('zones', () => {
    it('are read as they were written', async () => {
      expect(await control().zone(ID)).toBeUndefined();
      expect(await control().writeZone(aZone(), undefined)).toBe(true);
      const empty = aZone({ id: 'no-zone', key: '', state: 'Initial', waiting: [] });
      expect(await control().writeZone(empty, undefined)).toBe(true);
      expect(await control().zone(ID)).toEqual(aZone());
      const all = (await control().zones()).toSorted((a, b) => Number(a.id > b.id) - Number(a.id < b.id));
      expect(all).toEqual([aZone(), empty]);
    });

    it('lose what a later pass leaves out', async () => {
      const held = {
        changedAt: T0,
        reason: 'no node is ready',
        policies: 'p/1',
        isHeld: true,
        heldBack: 3,
      } as const;
      await control().writeZone(aZone(held), undefined);
      expect(await control().zone(ID)).toEqual(aZone(held));
      await control().writeZone(aZone({ pass: 2 }), LIMITER);
      expect(await control().zone(ID)).toEqual(aZone({ pass: 2 }));
    });

    it('are written only by a higher pass', async () => {
      await control().writeZone(aZone({ pass: 2 }), undefined);
      expect(await control().writeZone(aZone({ pass: 2 }), LIMITER)).toBe(false);
      expect(await control().writeZone(aZone({ pass: 1 }), LIMITER)).toBe(false);
      expect(await control().writeZone(aZone({ pass: 3, state: 'FullDisruption' }), LIMITER)).toBe(true);
      expect(await control().zone(ID)).toMatchObject({ pass: 3, state: 'FullDisruption' });
    });

    it('are written only if the limiter is the one that was read', async () => {
      await control().writeZone(aZone(), undefined);
      expect(await control().writeZone(aZone({ pass: 2 }), undefined)).toBe(false);
      expect(await control().writeZone(aZone({ pass: 2 }), { ...LIMITER, nextAt: T0 + 1 })).toBe(false);
      expect(await control().writeZone(aZone({ pass: 2 }), { ...LIMITER, rate: 0.01 })).toBe(false);
      expect(await control().writeZone(aZone({ id: 'other', pass: 2 }), LIMITER)).toBe(false);
      expect(await control().writeZone(aZone({ pass: 2, limiter: { rate: 0, nextAt: T0 } }), LIMITER)).toBe(
        true,
      );
      expect((await control().zone(ID))?.limiter).toEqual({ rate: 0, nextAt: T0 });
    });

    it('keep their wake-up when a pass writes', async () => {
      await control().writeZone(aZone(), undefined);
      await control().moveWakeAt(ID, undefined, T0 + 10);
      await control().writeZone(aZone({ pass: 2 }), LIMITER);
      expect(await control().zone(ID)).toEqual({ ...aZone({ pass: 2 }), wakeAt: T0 + 10 });
    });

    it('are dropped, unless a later pass has written them', async () => {
      await control().writeZone(aZone({ pass: 5 }), undefined);
      await control().dropZone(ID, 4);
      expect(await control().zone(ID)).toBeDefined();
      await control().dropZone(ID, 5);
      expect(await control().zone(ID)).toBeUndefined();
      await control().dropZone(ID, 6);
    });
  });

  describe('limiters', () => {
    it('give one token to several workers that have read the same limiter', async () => {
      await control().writeZone(aZone(), undefined);
      const next = { rate: 0.1, nextAt: T0 + 10_000 };
      const swaps = Array.from({ length: 5 }, () => control().swapLimiter(ID, LIMITER, next));
      expect((await Promise.all(swaps)).filter(Boolean)).toHaveLength(1);
      expect((await control().zone(ID))?.limiter).toEqual(next);
    });

    it('give no token at rate 0, after a change of the rate, or without a zone', async () => {
      const closed = { rate: 0, nextAt: T0 };
      expect(await control().swapLimiter(ID, LIMITER, LIMITER)).toBe(false);
      await control().writeZone(aZone({ limiter: closed }), undefined);
      expect(await control().swapLimiter(ID, closed, LIMITER)).toBe(false);
      await control().writeZone(aZone({ pass: 2, limiter: { rate: 0.01, nextAt: T0 } }), closed);
      expect(await control().swapLimiter(ID, LIMITER, LIMITER)).toBe(false);
    });
  });

  describe('wake-ups', () => {
    it('are moved by only one of several callers that have read the same instant', async () => {
      await control().writeZone(aZone(), undefined);
      expect(await control().moveWakeAt(ID, undefined, T0 + 10)).toBe(true);
      expect(await control().moveWakeAt(ID, undefined, T0 + 20)).toBe(false);
      expect(await control().moveWakeAt(ID, T0 + 10, T0 + 20)).toBe(true);
      expect(await control().moveWakeAt(ID, T0 + 10, T0 + 30)).toBe(false);
      expect((await control().zone(ID))?.wakeAt).toBe(T0 + 20);
    });

    it('belong only to zones that exist', async () => {
      expect(await control().moveWakeAt(ID, undefined, T0)).toBe(false);
      expect(await control().zone(ID)).toBeUndefined();
    });

    it('are cleared only while the waiting names are those that were read', async () => {
      await control().writeZone(aZone(), undefined);
      await control().moveWakeAt(ID, undefined, T0 + 10);
      expect(await control().clearWakeAt(ID, T0 + 10, ['n1'])).toBe(false);
      expect(await control().clearWakeAt(ID, T0 + 10, ['n2', 'n1'])).toBe(false);
      expect(await control().clearWakeAt(ID, T0 + 9, ['n1', 'n2'])).toBe(false);
      expect(await control().clearWakeAt(ID, T0 + 10, ['n1', 'n2'])).toBe(true);
      expect(await control().zone(ID)).toEqual(aZone());
    });

    it('are cleared if no node waits', async () => {
      await control().writeZone(aZone({ waiting: [] }), undefined);
      await control().moveWakeAt(ID, undefined, T0 + 10);
      expect(await control().clearWakeAt(ID, T0 + 10, [])).toBe(true);
    });
  });
};

const aDeadline = (deadline: Partial<PodDeadline> = {}): PodDeadline => ({
  namespace: 'default',
  name: 'p1',
  uid: 'uid-1',
  nodeName: 'n1',
  start: T0,
  fireAt: T0 + 300_000,
  ...deadline,
});

const deadlinesContract = (control: () => ControlStore): void => {
  const write = (deadline: PodDeadline, replaces?: PodDeadline): DeadlineWrite => ({
    deadline,
    expiresAt: EXPIRES_AT,
    ...(replaces ? { replaces } : {}),
  });
  const store = async (deadline: PodDeadline, replaces?: PodDeadline) =>
    (await control().storeDeadlines([write(deadline, replaces)]))[0];
  const stored = async () => (await control().deadlines([{ namespace: 'default', name: 'p1' }]))[0];
  /** More than one transaction takes. */
  const many = Array.from({ length: 230 }, (_, n) => aDeadline({ name: `p${n}`, uid: `uid-${n}` }));

  describe('deadlines', () => {
    it('do not change once they are stored', async () => {
      expect(await stored()).toBeUndefined();
      expect(await store(aDeadline())).toEqual(aDeadline());
      expect(await store(aDeadline({ fireAt: T0 + 1 }))).toEqual(aDeadline());
      expect(await stored()).toEqual(aDeadline());
    });

    it('are replaced by those of another pod with the same name', async () => {
      await store(aDeadline());
      const later = aDeadline({ uid: '3f2504e0-4f89-41d3-9a0c-0305e82c3301', fireAt: T0 + 1 });
      expect(await store(later)).toEqual(later);
      expect(await stored()).toEqual(later);
    });

    it('are deleted by uid', async () => {
      await store(aDeadline());
      await control().deleteDeadlines([aDeadline({ uid: 'uid-2' })]);
      expect(await stored()).toEqual(aDeadline());
      await control().deleteDeadlines([aDeadline()]);
      expect(await stored()).toBeUndefined();
      await control().deleteDeadlines([aDeadline()]);
    });

    it('are replaced by a deadline that replaces exactly the one that was read', async () => {
      await store(aDeadline());
      const later = aDeadline({ start: T0 + 5, fireAt: T0 + 300_005 });
      expect(await store(later, aDeadline({ fireAt: T0 + 1 }))).toEqual(aDeadline());
      expect(await store(later, aDeadline())).toEqual(later);
      expect(await store(later, aDeadline())).toEqual(later);
      expect(await stored()).toEqual(later);
    });

    it('are written many at a time, each under its own condition', async () => {
      const taken = [many[3], many[117], many[229]].map((deadline) => ({
        ...aDeadline(deadline),
        fireAt: T0 + 7,
      }));
      await control().storeDeadlines(taken.map((deadline) => write(deadline)));
      const standing = many.map((one) => taken.find(({ name }) => name === one.name) ?? one);
      expect(await control().storeDeadlines(many.map((deadline) => write(deadline)))).toEqual(standing);
      const absent = { namespace: 'default', name: 'absent' };
      expect(await control().deadlines([...many, absent])).toEqual([...standing, undefined]);
      await control().deleteDeadlines(many.map((one, n) => (n % 100 === 0 ? { ...one, uid: 'other' } : one)));
      expect(await control().deadlines(many)).toEqual(
        many.map((one, n) => (n % 100 === 0 ? one : undefined)),
      );
    });

    it('may be an empty list', async () => {
      expect(await control().deadlines([])).toEqual([]);
      expect(await control().storeDeadlines([])).toEqual([]);
      await control().deleteDeadlines([]);
    });

    it('are found when they are due, earliest first', async () => {
      const deadlines = Array.from({ length: 20 }, (_, n) => aDeadline({ name: `p${n}`, fireAt: T0 + n }));
      await control().storeDeadlines(deadlines.map((deadline) => write(deadline)));
      const due = async (): Promise<readonly string[]> =>
        (await control().dueDeadlines(T0 + 12)).value.map(({ name }) => name);
      await expect.poll(due, { timeout: 10_000 }).toEqual(deadlines.slice(0, 13).map(({ name }) => name));
      expect((await control().dueDeadlines(T0 - 1)).value).toEqual([]);
    });
  });
};

const holdsContract = (control: () => ControlStore): void => {
  const hold = { uid: 'u', name: 'h', stops: ['Drains'] as const, from: T0 };
  const first: HoldBook = { v: 1, epoch: 1, active: [{ ...hold, zones: ['b'], by: 'alice' }], past: [] };
  const second: HoldBook = { v: 1, epoch: 2, active: [], past: [{ ...hold, to: T0 + 9, spreadMs: 5 }] };

  describe('the book of holds (V-104)', () => {
    it('is not there before the first hold, and is stored as it is given', async () => {
      expect(await control().holdBook()).toBeUndefined();
      expect(await control().replaceHoldBook(0, first)).toBe(true);
      expect(await control().holdBook()).toEqual(first);
    });

    it('is replaced only while it has the epoch that was read', async () => {
      expect(await control().replaceHoldBook(1, second)).toBe(false);
      await control().replaceHoldBook(0, first);
      expect(await control().replaceHoldBook(0, second)).toBe(false);
      expect(await control().holdBook()).toEqual(first);
      expect(await control().replaceHoldBook(1, second)).toBe(true);
      expect(await control().holdBook()).toEqual(second);
    });
  });
};

const sightingsContract = (control: () => ControlStore): void => {
  const key = { topic: 'absent-node', name: 'n1' } as const;
  const seen = { ...key, uid: 'u1', since: T0 };

  describe('sightings (K-76)', () => {
    it('are there once they are stored, until they are deleted', async () => {
      expect(await control().sighting(key)).toBeUndefined();
      expect(await control().replaceSighting(key, undefined, seen)).toBe(true);
      expect(await control().sighting(key)).toEqual(seen);
      expect(await control().replaceSighting(key, seen, undefined)).toBe(true);
      expect(await control().sighting(key)).toBeUndefined();
    });

    it('change only if they are as they were read', async () => {
      await control().replaceSighting(key, undefined, seen);
      const later = { ...seen, since: T0 + 5 };
      expect(await control().replaceSighting(key, undefined, later)).toBe(false);
      expect(await control().replaceSighting(key, { ...seen, uid: 'u2' }, later)).toBe(false);
      expect(await control().replaceSighting(key, later, undefined)).toBe(false);
      expect(await control().sighting(key)).toEqual(seen);
      expect(await control().replaceSighting(key, seen, later)).toBe(true);
      expect(await control().sighting(key)).toEqual(later);
    });

    it('are listed by topic; uid and name may be empty', async () => {
      const look = { topic: 'terminated-pods', name: '', uid: '', since: T0 + 1 } as const;
      const others = Array.from({ length: 30 }, (_, n) => ({ ...seen, name: `n${n}`, uid: '' }));
      for (const one of [look, ...others]) await control().replaceSighting(one, undefined, one);
      expect(await control().sighting({ topic: 'terminated-pods', name: '' })).toEqual(look);
      const byName = (a: { name: string }, b: { name: string }) => (a.name < b.name ? -1 : 1);
      expect((await control().sightings('absent-node')).toSorted(byName)).toEqual(others.toSorted(byName));
      expect(await control().sightings('terminated-pods')).toEqual([look]);
    });

    it('are listed by how their names begin', async () => {
      const names = ['n1 a', 'n1 b', 'n1', 'n10 a', 'n0 z', 'm'];
      for (const name of names)
        await control().replaceSighting({ ...key, name }, undefined, { ...seen, name });
      const found = await control().sightings('absent-node', 'n1 ');
      expect(found.map(({ name }) => name).toSorted()).toEqual(['n1 a', 'n1 b']);
    });
  });
};

interface Stores {
  readonly control: ControlStore;
  readonly objects: ObjectStore;
}

/** The pass with the counter of Nodes, by which passes are left out. */
const calmContract = (stores: () => Stores): void => {
  const makeNode = (name: string) => change(stores().objects, { key: nodeKey(name) });

  describe('a pass that is read with the counter of Nodes', () => {
    it('is there without a Node, and the other way round', async () => {
      const { control } = stores();
      expect(await control.readPassAndCounter()).toEqual({ pass: undefined, counter: 0 });
      const { revision } = await makeNode('n1');
      expect(await control.readPassAndCounter()).toEqual({ pass: undefined, counter: revision });
      const pass = await control.startPass(T0, T0, LEASE_MS);
      expect(await control.readPassAndCounter()).toEqual({ pass, counter: revision });
    });

    it('has a higher counter from each change of a Node on, and not from changes of others', async () => {
      const { control, objects } = stores();
      const first = await makeNode('n1');
      await change(objects, { key: podKey('p1') });
      await objects.replaceWatermarks('nodes', [], [{ revision: first.revision, at: T0 }]);
      expect((await control.readPassAndCounter()).counter).toBe(first.revision);
      const second = await change(objects, {
        key: nodeKey('n1'),
        uid: first.commit.uid,
        expected: first.revision,
      });
      expect(second.revision).toBeGreaterThan(first.revision);
      expect((await control.readPassAndCounter()).counter).toBe(second.revision);
    });

    it('has what the last pass said that came to its end', async () => {
      const { control } = stores();
      const calm = { calmUntil: T0 + 30_000, counter: 7, counterSince: T0 - 20_000 };
      await control.startPass(T0, T0, LEASE_MS);
      await control.endPass(1, T0 + 100, { at: T0, nodes: 1, calm });
      expect((await control.readPassAndCounter()).pass).toMatchObject({
        pass: 1,
        completedNodes: 1,
        ...calm,
      });
      await control.startPass(T0 + 5_000, T0 + 5_000, LEASE_MS);
      await control.endPass(2, T0 + 5_100);
      expect((await control.readPassAndCounter()).pass).toMatchObject({ pass: 2, ...calm });
      await control.startPass(T0 + 10_000, T0 + 10_000, LEASE_MS);
      const none = { calmUntil: 0, counter: 8, counterSince: T0 + 10_000 };
      await control.endPass(3, T0 + 10_100, { at: T0 + 10_000, nodes: 0, calm: none });
      await control.endPass(2, T0 + 10_200, { at: T0, nodes: 1, calm });
      expect((await control.readPassAndCounter()).pass).toMatchObject({
        pass: 3,
        completedNodes: 0,
        ...none,
      });
    });
  });
};

export const controlStoreContract = (name: string, create: () => Promise<Stores>): void => {
  describe(`ControlStore: ${name}`, () => {
    let stores: Stores;
    const current = () => stores.control;
    beforeEach(async () => {
      stores = await create();
    });
    calmContract(() => stores);
    passContract(current);
    zonesContract(current);
    deadlinesContract(current);
    sightingsContract(current);
    holdsContract(current);
  });
};
