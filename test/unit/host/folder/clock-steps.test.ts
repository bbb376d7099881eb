import { describe, expect, it } from 'vitest';
import { createPresence } from '../../../../host/beats/presence.ts';
import { applyStepBetweenRuns, createClockSteps } from '../../../../host/folder/clock-steps.ts';
import { createMemoryState } from '../../../../shared/adapters/memory/state.ts';
import { createVirtualClock } from '../../../../shared/adapters/memory/virtual-clock.ts';
import { NODE_LIFECYCLE_DEFAULTS as config } from '../../../../shared/settings/node-lifecycle.ts';

const SECOND = 1_000;
const HOUR = 3_600 * SECOND;
const YEAR = 365 * 24 * HOUR;
const STEPS: readonly (readonly [number, string])[] = [
  [-YEAR, 'back by 31536000.0 s'],
  [-HOUR, 'back by 3600.0 s'],
  [-90 * SECOND, 'back by 90.0 s'],
  [-3 * SECOND, 'back by 3.0 s'],
  [3 * SECOND, 'forward by 3.0 s'],
  [HOUR, 'forward by 3600.0 s'],
  [YEAR, 'forward by 31536000.0 s'],
];

/** A clock that somebody sets, over one that nobody does. */
const aSetClock = () => {
  const true_ = createVirtualClock();
  let [setMs, followedMs] = [0, 0];
  const clock = {
    now: () => true_.now() + followedMs,
    sleep: true_.sleep,
    step: () => setMs - followedMs,
    follow: () => {
      followedMs = setMs;
    },
  };
  const set = (byMs: number): void => {
    setMs += byMs;
  };
  return { clock, set, pass: true_.advance };
};

const aHost = () => {
  const { clock, set, pass } = aSetClock();
  const { absences } = createMemoryState();
  const lines: string[] = [];
  const returns: number[] = [];
  let [aliveAt, movedMs] = [clock.now(), 0];
  const state = {
    lastAlive: () => aliveAt,
    lastMachineTime: () => undefined,
    keepAlive: (at: number) => {
      aliveAt = at;
    },
    moveInstants: (byMs: number) => {
      aliveAt += byMs;
      movedMs += byMs;
    },
  };
  const hostLog = { warn: (line: string) => void lines.push(line) };
  const steps = createClockSteps({ clock, state, machineTime: () => ({ uptimeMs: 0 }), hostLog });
  const onReturn = (awayMs: number): void => void returns.push(awayMs);
  const presence = createPresence({ clock, absences, alive: state, config, steps, onReturn });
  return { clock, set, pass, absences, presence, lines, returns, movedMs: () => movedMs, state };
};

describe('a clock that is set while the host runs', () => {
  it.each(STEPS)(
    'by %i ms: is logged once, all instants move, and it is no absence (G-04, G-07)',
    async (byMs, size) => {
      const { clock, set, pass, absences, presence, lines, returns, movedMs } = aHost();
      await presence.observe();
      const before = clock.now();
      pass(SECOND);
      set(byMs);
      await presence.observe();
      expect(clock.now()).toBe(before + SECOND + byMs);
      expect(movedMs()).toBe(byMs);
      expect(lines).toEqual([expect.stringContaining(`the clock was set ${size}`)]);
      expect(returns).toEqual([]);
      // Beats of requests in progress may be lost. Evictions do not rest.
      const stepAt = clock.now();
      expect(absences.absences()).toEqual([{ goneAt: stepAt, backAt: stepAt, lostAt: stepAt }]);
      expect(presence.comebackUntil()).toBe(clock.now() + config.nodeMonitorGracePeriodMs / 2);
      expect(presence.quietUntil()).toBe(0);
      expect(presence.deletionsRestUntil()).toBe(0);
      for (let seconds = 0; seconds < 60; seconds += 1) {
        pass(SECOND);
        await presence.observe();
      }
      expect(lines).toHaveLength(1);
      expect(returns).toEqual([]);
      expect(presence.comebackUntil()).toBeLessThan(clock.now());
    },
  );

  it.each(STEPS)(
    'by %i ms, while evictions are paused after an absence: the pause keeps its length',
    async (byMs) => {
      const { clock, set, pass, presence } = aHost();
      await presence.observe();
      pass(HOUR);
      await presence.observe();
      const restMs = presence.quietUntil() - clock.now();
      set(byMs);
      await presence.observe();
      expect(presence.quietUntil() - clock.now()).toBe(restMs);
    },
  );

  it('makes work that began before it decide again', async () => {
    const { set, presence } = aHost();
    await presence.observe();
    const before = presence.returns();
    set(-HOUR);
    await presence.observe();
    expect(presence.returns()).toBe(before + 1);
  });
});

describe('a clock that was set while the host did not run', () => {
  const settle = (awayMs: number, byMs: number, bootId: string) => {
    const lines: string[] = [];
    const moved: number[] = [];
    const clock = createVirtualClock();
    applyStepBetweenRuns({
      clock: { ...clock, step: () => 0, follow: () => undefined },
      machineTime: () => ({ uptimeMs: 100 * SECOND + awayMs, bootId }),
      hostLog: { warn: (line) => void lines.push(line) },
      state: {
        lastAlive: () => clock.now() - awayMs - byMs,
        lastMachineTime: () => ({ uptimeMs: 100 * SECOND, bootId: 'b' }),
        moveInstants: (ms) => void moved.push(ms),
      },
    });
    return { lines, moved };
  };

  it.each(STEPS)('by %i ms: is logged once, and all instants move (G-08)', (byMs, size) => {
    const { lines, moved } = settle(7 * SECOND, byMs, 'b');
    expect(lines).toEqual([expect.stringContaining(`the clock was set ${size} while the host did not run`)]);
    expect(moved).toEqual([byMs]);
  });

  it('is not taken for set after an absence alone (G-09)', () => {
    expect(settle(HOUR, 0, 'b')).toEqual({ lines: [], moved: [] });
  });

  it('is found to be behind also after a restart of the machine (G-09)', () => {
    expect(settle(0, -YEAR, 'another').moved).toEqual([-YEAR]);
  });
});
