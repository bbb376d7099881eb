import { describe, expect, it } from 'vitest';
import { createPresence } from '../../../../host/beats/presence.ts';
import { createMemoryState } from '../../../../shared/adapters/memory/state.ts';
import { createVirtualClock } from '../../../../shared/adapters/memory/virtual-clock.ts';
import { NODE_LIFECYCLE_DEFAULTS as config } from '../../../../shared/settings/node-lifecycle.ts';

const SECOND = 1_000;

const aPresence = (awayMs: number | undefined, lostForMs?: number) => {
  const clock = createVirtualClock();
  const { control } = createMemoryState();
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
  const work = { ms: 0 };
  const nodes = { heard: 0 };
  const comebacks = { late: 0 };
  const onLateComeback = (): void => {
    comebacks.late += 1;
  };
  const presence = createPresence({
    clock,
    control,
    config,
    onReturn,
    onLateComeback,
    alive: { ...alive, heardAgain: () => nodes.heard },
    busyMs: () => work.ms,
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
  return { clock, control, presence, returns, disk, work, nodes, hear, comebacks, aliveAt: () => aliveAt };
};

describe('the presence of a host', () => {
  it.each([
    ['its first start', undefined],
    ['a short absence', 10 * SECOND],
  ])('pauses nothing after %s', async (_, awayMs) => {
    const { presence, control, clock, aliveAt, returns } = aPresence(awayMs);
    await presence.observe();
    expect(returns).toEqual([]);
    expect((await control.readPass())?.clockFloor ?? 0).toBe(0);
    expect(presence.quietUntil()).toBe(0);
    expect(aliveAt()).toBe(clock.now());
  });

  it.each([
    ['that was so long ago', -5 * SECOND, -5 * SECOND],
    ['that has just been', 500, 0],
  ])(
    'finds no node silent for a grace period after beats that a crash may have lost, %s (J-211)',
    async (_, lostForMs, floorMs) => {
      const { presence, control, clock, returns } = aPresence(2 * SECOND, lostForMs);
      await presence.observe();
      expect(returns).toEqual([]);
      expect((await control.readPass())?.clockFloor).toBe(clock.now() + floorMs);
      expect(presence.flipsRestUntil()).toBe(clock.now() + floorMs + config.nodeMonitorGracePeriodMs);
      expect([presence.quietUntil(), presence.deletionsRestUntil()]).toEqual([0, 0]);
    },
  );

  it('stores a clock floor after an absence of more than a quarter of the grace period, and pauses evictions for one (G-03)', async () => {
    const { presence, control, clock, returns } = aPresence(11 * SECOND);
    await presence.observe();
    expect(returns).toEqual([11 * SECOND]);
    expect((await control.readPass())?.clockFloor).toBe(clock.now());
    expect(presence.quietUntil()).toBe(clock.now() + config.nodeMonitorGracePeriodMs);
  });

  it('stores no sign of life before nodes have had their time to answer', async () => {
    const { presence, clock, aliveAt } = aPresence(60 * SECOND);
    const before = aliveAt();
    for (let seconds = 0; seconds < 60; seconds += 1) {
      await presence.observe();
      expect(aliveAt()).toBe(before);
      clock.advance(SECOND);
    }
    await presence.observe();
    expect(aliveAt()).toBe(clock.now());
  });

  it('notices that the process itself was suspended', async () => {
    const { presence, clock, control, returns } = aPresence(0);
    await presence.observe();
    clock.advance(30 * SECOND);
    expect(presence.quietUntil()).toBe(clock.now() + config.nodeMonitorGracePeriodMs);
    await presence.observe();
    expect(returns).toEqual([30 * SECOND]);
    expect((await control.readPass())?.clockFloor).toBe(clock.now());
  });

  it('counts as an absence while nothing can be stored, because heartbeats are refused', async () => {
    const { presence, clock, control, returns, disk } = aPresence(0);
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
    expect((await control.readPass())?.clockFloor).toBe(clock.now());
  });

  it('leaves the zones as the last pass stored them', async () => {
    const { presence, clock, control } = aPresence(60 * SECOND);
    const pass = await control.startPass(clock.now(), clock.now(), SECOND);
    await presence.observe();
    expect((await control.readPass())?.floorPass).toBe(pass?.pass);
  });

  it('lets pods leave at their stored deadlines as soon as nodes have had time to return (G-05)', async () => {
    const { presence, clock } = aPresence(3_600 * SECOND);
    await presence.observe();
    expect(presence.deletionsRestUntil()).toBe(clock.now() + 15 * SECOND);
    expect(presence.flipsRestUntil()).toBe(clock.now() + config.nodeMonitorGracePeriodMs);
  });

  it('does not take work for an absence: nodes get as much time as the work took (G-02)', async () => {
    const { presence, clock, control, returns, work } = aPresence(0);
    await presence.observe();
    clock.advance(12 * SECOND);
    work.ms += 11 * SECOND;
    await presence.observe();
    expect(returns).toEqual([12 * SECOND]);
    const floor = clock.now() - config.nodeMonitorGracePeriodMs + 12 * SECOND;
    expect((await control.readPass())?.clockFloor).toBe(floor);
    expect(presence.flipsRestUntil()).toBe(clock.now() + 12 * SECOND);
    expect(presence.quietUntil()).toBe(clock.now() + 12 * SECOND);
    expect(presence.deletionsRestUntil()).toBe(0);
  });

  it('does not shorten the pause after an absence by work that follows it', async () => {
    const { presence, clock, work } = aPresence(60 * SECOND);
    await presence.observe();
    const until = presence.quietUntil();
    clock.advance(12 * SECOND);
    work.ms += 12 * SECOND;
    await presence.observe();
    expect(presence.quietUntil()).toBe(until);
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
    expect(presence.quietUntil()).toBe(clock.now() + config.nodeMonitorGracePeriodMs);
  });

  describe('while nodes come back as fast as they can be verified (G-17, G-18)', () => {
    const quarterMs = config.nodeMonitorGracePeriodMs / 4;

    it.each([
      ['after a short absence', 3 * SECOND],
      ['after a long one', 60 * SECOND],
    ])('waits for them %s: until the next beats after the last of them', async (_, awayMs) => {
      const { presence, control, clock, hear, comebacks } = aPresence(awayMs);
      await presence.observe();
      await hear(55, 1_800);
      const until = clock.now() + quarterMs;
      expect(presence.flipsRestUntil()).toBe(until);
      expect(presence.quietUntil()).toBe(until);
      expect(presence.deletionsRestUntil()).toBe(clock.now() + config.nodeMonitorPeriodMs);
      expect((await control.readPass())?.clockFloor).toBe(until - config.nodeMonitorGracePeriodMs);
      await hear(5, 99);
      expect(presence.flipsRestUntil()).toBe(until);
      expect(comebacks.late).toBe(1);
    });

    it.each([
      ['a short absence', 3 * SECOND],
      ['a long one', 60 * SECOND],
    ])('changes nothing after %s if all are heard in the time between two beats', async (_, awayMs) => {
      const { presence, hear, comebacks } = aPresence(awayMs);
      await presence.observe();
      const until = presence.flipsRestUntil();
      const rest = presence.deletionsRestUntil();
      await hear(10, 10_000);
      expect([presence.flipsRestUntil(), presence.deletionsRestUntil()]).toEqual([until, rest]);
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

    it('stores no sign of life before they have had their time: a crash makes the absence longer', async () => {
      const { presence, clock, hear, aliveAt } = aPresence(3 * SECOND);
      await presence.observe();
      await hear(10, 1_800);
      const before = aliveAt();
      expect(before).toBe(clock.now());
      await hear(40, 1_800);
      expect(aliveAt()).toBe(before);
      await hear(60, 0);
      expect(aliveAt()).toBe(clock.now());
    });

    it('learns nothing from a moment', async () => {
      const { presence, clock, work, nodes, hear } = aPresence(3 * SECOND);
      await presence.observe();
      await hear(11, 1_800);
      const until = presence.flipsRestUntil();
      clock.advance(5);
      work.ms += 5;
      nodes.heard += 1;
      await presence.observe();
      expect([until, presence.flipsRestUntil()]).toEqual([clock.now() - 5 + quarterMs, until]);
    });
  });
});
