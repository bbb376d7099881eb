import { describe, expect, it } from 'vitest';
import { createSteadyClock } from '../../../../shared/adapters/system/steady-clock.ts';

const START = 1_700_000_000_000;
const SECOND = 1_000;
const HOUR = 3_600_000;
const YEAR = 365 * 24 * HOUR;

/** A machine whose clock can be set, and that can sleep. */
const aMachine = () => {
  const time = { wall: START, monotonic: 5_000, uptime: 90_000 };
  const clock = createSteadyClock({
    wall: () => time.wall,
    monotonic: () => time.monotonic,
    uptime: () => time.uptime,
  });
  const pass = (ms: number): void => {
    time.wall += ms;
    time.monotonic += ms;
    time.uptime += ms;
  };
  const sleep = (ms: number): void => {
    time.wall += ms;
    time.uptime += ms;
  };
  return { clock, time, pass, sleep };
};

describe('a steady clock', () => {
  it('is the machine’s clock as long as nobody sets it', () => {
    const { clock, pass } = aMachine();
    pass(40 * SECOND);
    expect(clock.now()).toBe(START + 40 * SECOND);
    expect(clock.step()).toBe(0);
  });

  it.each([
    ['a year back', -YEAR],
    ['an hour back', -HOUR],
    ['90 s back', -90 * SECOND],
    ['3 s back', -3 * SECOND],
    ['3 s forward', 3 * SECOND],
    ['an hour forward', HOUR],
    ['a year forward', YEAR],
  ])('does not jump when the machine’s clock is set %s, and reports the step', (_, byMs) => {
    const { clock, time, pass } = aMachine();
    time.wall += byMs;
    pass(500);
    expect(clock.now()).toBe(START + 500);
    expect(clock.step()).toBe(byMs);
    clock.follow();
    expect(clock.now()).toBe(START + 500 + byMs);
    expect(clock.step()).toBe(0);
  });

  it('ignores a step that was reversed before the next reading', () => {
    const { clock, time, pass } = aMachine();
    time.wall += HOUR;
    expect(clock.step()).toBe(HOUR);
    time.wall -= HOUR;
    pass(SECOND);
    expect(clock.step()).toBe(0);
    expect(clock.now()).toBe(START + SECOND);
  });

  it('follows steps of less than a second, but never goes back', () => {
    const { clock, time, pass } = aMachine();
    time.wall -= 800;
    expect(clock.now()).toBe(START);
    pass(800);
    expect(clock.now()).toBe(START);
    pass(5);
    expect(clock.now()).toBe(START + 5);
    expect(clock.step()).toBe(0);
  });

  it('counts the time in which the machine slept', () => {
    const { clock, sleep, pass } = aMachine();
    sleep(8 * HOUR);
    pass(10);
    expect(clock.now()).toBe(START + 8 * HOUR + 10);
    expect(clock.step()).toBe(0);
  });

  it('tells sleep and step apart if both happened', () => {
    const { clock, time, sleep } = aMachine();
    sleep(HOUR);
    time.wall -= 90 * SECOND;
    expect(clock.now()).toBe(START + HOUR);
    expect(clock.step()).toBe(-90 * SECOND);
  });

  it('does not take a suspension between two readings for a step', () => {
    const time = { wall: START, monotonic: 0 };
    let suspendsAt = Number.POSITIVE_INFINITY;
    let readings = 0;
    const clock = createSteadyClock({
      wall: () => {
        const { wall } = time;
        readings += 1;
        if (readings === suspendsAt) {
          time.wall += 12 * SECOND;
          time.monotonic += 12 * SECOND;
        }
        return wall;
      },
      monotonic: () => time.monotonic,
      uptime: () => time.monotonic,
    });
    suspendsAt = readings + 1;
    expect(clock.now()).toBe(START + 12 * SECOND);
    expect(clock.step()).toBe(0);
  });
});
