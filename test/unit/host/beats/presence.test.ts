import { describe, expect, it } from 'vitest';
import { createPresence } from '../../../../host/beats/presence.ts';
import { createMemoryState } from '../../../../shared/adapters/memory/state.ts';
import { createVirtualClock, type VirtualClock } from '../../../../shared/adapters/memory/virtual-clock.ts';
import type { AbsenceBook } from '../../../../shared/ports/store/control-store.ts';
import { NODE_LIFECYCLE_DEFAULTS as config } from '../../../../shared/settings/node-lifecycle.ts';

const SECOND = 1_000;

/** What an earlier process has left. */
interface Earlier {
  readonly clock: VirtualClock;
  readonly book: AbsenceBook;
}

const anew = (): Earlier => ({ clock: createVirtualClock(), book: createMemoryState().absences });

const aPresence = (awayMs: number | undefined, lostForMs?: number, earlier?: Earlier) => {
  const { clock, book: absences } = earlier ?? anew();
  if (earlier) clock.advance(awayMs ?? 0);
  let aliveAt = awayMs === undefined ? undefined : clock.now() - awayMs;
  const lostBefore = lostForMs === undefined ? undefined : clock.now() + lostForMs;
  const returns: number[] = [];
  const disk = { isFull: false };
  const alive = {
    lastAlive: () => aliveAt,
    beatsLostBefore: () => lostBefore,
    keepAlive: (now: number) => {
      if (disk.isFull) throw new Error('the disk is full');
      aliveAt = now;
    },
  };
  const onReturn = (ms: number): void => void returns.push(ms);
  const work = { ms: 0, asked: 0 };
  const nodes = { heard: 0 };
  const comebacks = { late: 0 };
  const onLateComeback = (): void => {
    comebacks.late += 1;
  };
  const presence = createPresence({
    clock,
    absences,
    config,
    onReturn,
    onLateComeback,
    alive: { ...alive, heardAgain: () => nodes.heard },
    busyMs: () => {
      work.asked += 1;
      return work.ms;
    },
  });
  /** Passes so many seconds in which so many nodes are heard for the first time, with work for the whole time. */
  const hear = async (seconds: number, nodesEach: number): Promise<void> => {
    for (let left = seconds; left > 0; left -= 1) {
      clock.advance(SECOND);
      work.ms += SECOND;
      nodes.heard += nodesEach;
      await presence.observe();
    }
  };
  return {
    clock,
    book: absences,
    absences: absences.absences,
    presence,
    returns,
    disk,
    work,
    nodes,
    hear,
    comebacks,
    aliveAt: () => aliveAt,
  };
};

const HALF = config.nodeMonitorGracePeriodMs / 2;

describe('the presence of a host', () => {
  it('notes nothing at its first start', async () => {
    const { presence, absences, clock, aliveAt, returns } = aPresence(undefined);
    await presence.observe();
    expect([returns, absences()]).toEqual([[], []]);
    expect([presence.quietUntil(), presence.comebackUntil()]).toEqual([0, 0]);
    expect(aliveAt()).toBe(clock.now());
  });

  it('notes a short absence, after which nothing rests (G-01)', async () => {
    const { presence, absences, clock, aliveAt, returns } = aPresence(10 * SECOND);
    await presence.observe();
    expect(absences()).toEqual([{ goneAt: clock.now() - 10 * SECOND, backAt: clock.now() }]);
    expect(returns).toEqual([]);
    expect([presence.quietUntil(), presence.deletionsRestUntil()]).toEqual([0, 0]);
    expect(aliveAt()).toBe(clock.now());
  });

  it.each([
    ['that was so long ago', -5 * SECOND, -5 * SECOND],
    ['that has just been', 500, 0],
  ])('notes until when a crash may have lost beats, %s (J-211)', async (_, lostForMs, lostAtMs) => {
    const { presence, absences, clock, returns } = aPresence(2 * SECOND, lostForMs);
    await presence.observe();
    expect(returns).toEqual([]);
    const now = clock.now();
    expect(absences()).toEqual([{ goneAt: now - 2 * SECOND, backAt: now, lostAt: now + lostAtMs }]);
    expect([presence.quietUntil(), presence.deletionsRestUntil()]).toEqual([0, 0]);
  });

  it('lets taints rest for two beat intervals after an absence of more than one (G-03)', async () => {
    const { presence, absences, clock, returns } = aPresence(11 * SECOND);
    await presence.observe();
    expect(returns).toEqual([11 * SECOND]);
    expect(absences()).toEqual([{ goneAt: clock.now() - 11 * SECOND, backAt: clock.now() }]);
    expect(presence.quietUntil()).toBe(clock.now() + HALF);
  });

  it('notes that a process was here between two crashes, and that nodes have not had their time after the first (G-20)', async () => {
    const earlier = aPresence(60 * SECOND);
    await earlier.presence.observe();
    const backAt = earlier.clock.now();
    earlier.clock.advance(5 * SECOND);
    await earlier.presence.observe();
    const { absences, presence, clock } = aPresence(2 * SECOND, undefined, earlier);
    await presence.observe();
    expect(absences()).toEqual([
      { goneAt: backAt - 60 * SECOND, backAt },
      { goneAt: backAt + 5 * SECOND, backAt: clock.now() },
    ]);
    expect(presence.quietUntil()).toBe(clock.now() + HALF);
  });

  it('counts as away until the absence is stored: a crash before that makes it longer', async () => {
    const { presence, absences, clock, disk, aliveAt } = aPresence(60 * SECOND);
    const before = aliveAt();
    disk.isFull = true;
    await expect(presence.observe()).rejects.toThrow('full');
    expect(aliveAt()).toBe(before);
    clock.advance(SECOND);
    disk.isFull = false;
    await presence.observe();
    expect(absences()).toEqual([{ goneAt: before, backAt: clock.now() }]);
    expect(aliveAt()).toBe(clock.now());
  });

  it.each([
    [5, []],
    [6, [6 * SECOND]],
  ])('notices that the process itself was suspended: for %i s', async (seconds, away) => {
    const { presence, clock, absences, returns } = aPresence(0);
    await presence.observe();
    clock.advance(seconds * SECOND);
    await presence.observe();
    expect(absences().map(({ goneAt, backAt }) => backAt - goneAt)).toEqual(away);
    expect(returns).toEqual([]);
  });

  it('notices a long suspension in the turn in which it is asked', async () => {
    const { presence, clock, absences, returns } = aPresence(0);
    await presence.observe();
    const before = presence.returns();
    clock.advance(30 * SECOND);
    expect(presence.quietUntil()).toBe(clock.now() + HALF);
    expect(presence.returns()).toBe(before + 1);
    await presence.observe();
    expect(returns).toEqual([30 * SECOND]);
    expect(absences()).toEqual([{ goneAt: clock.now() - 30 * SECOND, backAt: clock.now() }]);
  });

  it('counts as an absence while nothing can be stored, because heartbeats are refused', async () => {
    const { presence, clock, absences, returns, disk } = aPresence(0);
    await presence.observe();
    disk.isFull = true;
    for (let seconds = 0; seconds < 30; seconds += 1) {
      clock.advance(SECOND);
      await expect(presence.observe()).rejects.toThrow('full');
    }
    expect(presence.quietUntil()).toBe(0);
    disk.isFull = false;
    await presence.observe();
    expect(returns).toEqual([30 * SECOND]);
    expect(absences()).toEqual([{ goneAt: clock.now() - 30 * SECOND, backAt: clock.now() }]);
  });

  it('lets pods leave at their stored deadlines as soon as nodes have had time to return (G-05)', async () => {
    const { presence, clock } = aPresence(3_600 * SECOND);
    await presence.observe();
    expect(presence.deletionsRestUntil()).toBe(clock.now() + 15 * SECOND);
    expect(presence.comebackUntil()).toBe(clock.now() + HALF);
  });

  it('does not take work for an absence: nodes get as much time as the work took (G-02)', async () => {
    const { presence, clock, absences, returns, work } = aPresence(0);
    await presence.observe();
    clock.advance(12 * SECOND);
    work.ms += 11 * SECOND;
    await presence.observe();
    expect(returns).toEqual([12 * SECOND]);
    expect(absences()).toEqual([{ goneAt: clock.now() - 12 * SECOND, backAt: clock.now(), isWork: true }]);
    expect(presence.quietUntil()).toBe(clock.now() + 12 * SECOND);
    expect(presence.deletionsRestUntil()).toBe(0);
  });

  it('does not shorten the pause after an absence by work that follows it', async () => {
    const { presence, clock, work } = aPresence(60 * SECOND);
    await presence.observe();
    clock.advance(12 * SECOND);
    work.ms += 12 * SECOND;
    await presence.observe();
    expect(presence.quietUntil()).toBe(clock.now() + 12 * SECOND);
    expect(presence.deletionsRestUntil()).toBe(clock.now() + 3 * SECOND);
  });

  it('counts work as absence while nothing can be stored', async () => {
    const { presence, clock, disk, work } = aPresence(0);
    await presence.observe();
    disk.isFull = true;
    for (let seconds = 0; seconds < 12; seconds += 1) {
      clock.advance(SECOND);
      work.ms += SECOND;
      await expect(presence.observe()).rejects.toThrow('full');
    }
    disk.isFull = false;
    await presence.observe();
    expect(presence.quietUntil()).toBe(clock.now() + HALF);
  });

  describe('while nodes come back as fast as they can be verified (G-17, G-18)', () => {
    const quarterMs = config.nodeMonitorGracePeriodMs / 4;

    it.each([
      ['after a short absence', 3 * SECOND],
      ['after a long one', 60 * SECOND],
    ])('waits for them %s: until the next beats after the last of them', async (_, awayMs) => {
      const { presence, absences, clock, hear, comebacks } = aPresence(awayMs);
      await presence.observe();
      await hear(55, 1_800);
      const until = clock.now() + quarterMs;
      expect(presence.comebackUntil()).toBe(until);
      expect(presence.quietUntil()).toBe(until);
      expect(presence.deletionsRestUntil()).toBe(clock.now() + config.nodeMonitorPeriodMs);
      expect(absences()).toEqual([{ goneAt: expect.any(Number), backAt: clock.now() - quarterMs }]);
      await hear(5, 99);
      expect(presence.comebackUntil()).toBe(until);
      expect(comebacks.late).toBe(1);
    });

    it.each([
      ['a short absence', 3 * SECOND],
      ['a long one', 60 * SECOND],
    ])('changes nothing after %s if all are heard in the time between two beats', async (_, awayMs) => {
      const { presence, hear, comebacks } = aPresence(awayMs);
      await presence.observe();
      const until = presence.comebackUntil();
      const rest = presence.deletionsRestUntil();
      await hear(10, 10_000);
      expect([presence.comebackUntil(), presence.deletionsRestUntil()]).toEqual([until, rest]);
      expect(comebacks.late).toBe(0);
    });

    it('lets work be decided again that had begun before it waited', async () => {
      const { presence, hear } = aPresence(3 * SECOND);
      await presence.observe();
      const before = presence.returns();
      await hear(10, 1_800);
      expect(presence.returns()).toBe(before);
      await hear(1, 1_800);
      expect(presence.returns()).toBe(before + 1);
      await hear(40, 1_800);
      expect(presence.returns()).toBe(before + 1);
      await hear(6, 0);
      await hear(1, 1_800);
      expect(presence.returns()).toBe(before + 2);
    });

    it('learns nothing from a moment', async () => {
      const { presence, clock, work, nodes, hear } = aPresence(3 * SECOND);
      await presence.observe();
      await hear(11, 1_800);
      const until = presence.comebackUntil();
      clock.advance(5);
      work.ms += 5;
      nodes.heard += 1;
      await presence.observe();
      expect([until, presence.comebackUntil()]).toEqual([clock.now() - 5 + quarterMs, until]);
    });
  });

  it('asks for the processor time a few times a second, however often it looks, and knows work from a stop', async () => {
    const { presence, work, clock, absences } = aPresence(undefined);
    await presence.observe();
    work.asked = 0;
    for (let looks = 0; looks < 1_000; looks += 1) {
      clock.advance(1);
      work.ms += 1;
      presence.returns();
    }
    expect(work.asked).toBeLessThanOrEqual(10);
    clock.advance(HALF);
    work.ms += HALF;
    await presence.observe();
    clock.advance(HALF);
    await presence.observe();
    expect(absences().map(({ isWork }) => isWork)).toEqual([true, undefined]);
  });
});
