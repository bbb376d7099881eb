import { uptime } from 'node:os';
import type { EpochMs } from '../../kube/values/time.ts';
import type { SteadyClock } from '../../ports/process/clock.ts';
import { systemClock } from './clock.ts';

/** The clocks of the machine. */
export interface TimeSources {
  /** The machine's clock, ms since the Unix epoch. */
  readonly wall: () => EpochMs;
  /** A clock (ms) that cannot be set. It may stop while the machine sleeps. */
  readonly monotonic: () => number;
  /** Milliseconds since the machine started, including sleep; accurate to two seconds. */
  readonly uptime: () => number;
}

const SYSTEM: TimeSources = {
  wall: systemClock.now,
  monotonic: () => performance.now(),
  uptime: () => uptime() * 1000,
};

/** A difference of at least this much (ms) since the last reading is a step; a smaller one is adopted at once. */
const STEP_MS = 1_000;
/** `uptime` counts whole seconds on some systems. */
const SLEEP_MS = 2_000;
/** If reading both clocks takes longer than this (ms), the process was suspended in between, and they are read again. */
const SLOW_READING_MS = 100;

/** Both clocks (ms) at the same moment. */
interface Reading {
  readonly wall: EpochMs;
  readonly monotonic: number;
}

/** Reads both clocks at the same moment. */
const readBoth = ({ wall, monotonic }: TimeSources): Reading => {
  for (;;) {
    const before = monotonic();
    const at = wall();
    const after = monotonic();
    if (after - before < SLOW_READING_MS) return { wall: at, monotonic: after };
  }
};

/**
 * Creates a clock that follows the machine's clock, except for its steps, which `step` reports. Time during which the machine
 * slept counts as elapsed, not as a step. Between steps the clock never goes back.
 */
export const createSteadyClock = (sources: TimeSources = SYSTEM): SteadyClock => {
  const first = readBoth(sources);
  let ahead = first.wall - first.monotonic;
  let asleep = sources.uptime() - sources.monotonic();
  let last = first.wall;

  const difference = ({ wall, monotonic }: Reading): number => wall - (ahead + monotonic);
  const countSleep = (): void => {
    const sleptMs = sources.uptime() - sources.monotonic() - asleep;
    if (sleptMs < SLEEP_MS) return;
    asleep += sleptMs;
    ahead += sleptMs;
  };
  /** Follows a reading unless it shows a step, which it returns; else returns 0. */
  const adopt = (reading: Reading): number => {
    const differenceMs = difference(reading);
    if (Math.abs(differenceMs) >= STEP_MS) return Math.round(differenceMs);
    ahead += differenceMs;
    return 0;
  };
  const take = (): { readonly reading: Reading; readonly step: number } => {
    const first = readBoth(sources);
    const step = adopt(first);
    if (step === 0) return { reading: first, step };
    countSleep();
    const second = readBoth(sources);
    return { reading: second, step: adopt(second) };
  };
  const now = (): EpochMs => {
    const { monotonic } = take().reading;
    last = Math.max(last, Math.floor(ahead + monotonic));
    return last;
  };
  return {
    now,
    sleep: systemClock.sleep,
    step: () => take().step,
    follow: () => {
      const { wall, monotonic } = readBoth(sources);
      ahead = wall - monotonic;
      last = wall;
    },
  };
};
