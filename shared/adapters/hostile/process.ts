import { tooManyRequests } from '../../api/status-error.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Chance } from './chance.ts';

/** How often each fault strikes a call, 0–1. */
export interface FaultRates {
  readonly crash: number;
  readonly stall: number;
  /** Longest stall, ms. */
  readonly stallMs: number;
  readonly throttle: number;
  /** Transaction refused as busy, as by a TransactionConflict. */
  readonly busy: number;
  /** Transaction whose answer is lost; half of them have been, or will be, carried out. */
  readonly unclear: number;
  /** Numbers taken and thrown away. */
  readonly wasteNumber: number;
  /** One half of a transaction seen by a plain read. */
  readonly halfVisible: number;
  /** Longest lag of an index row or a scanned item, ms; each row has its own. */
  readonly indexLagMs: number;
  readonly doubleMessage: number;
  /** Messages that are never delivered. */
  readonly loseMessage: number;
  /** Messages come up to this much late, ms. */
  readonly messageDelayMs: number;
  /** Clock of the process, wrong by up to this (ms) either way. */
  readonly clockSkewMs: number;
}

export const NO_FAULTS: FaultRates = {
  crash: 0,
  stall: 0,
  stallMs: 0,
  throttle: 0,
  busy: 0,
  unclear: 0,
  wasteNumber: 0,
  halfVisible: 0,
  indexLagMs: 0,
  doubleMessage: 0,
  loseMessage: 0,
  messageDelayMs: 0,
  clockSkewMs: 0,
};

/** Faults at the rates of a very bad day. */
export const BAD_DAY: FaultRates = {
  crash: 0.01,
  stall: 0.05,
  stallMs: 7_000,
  throttle: 0.02,
  busy: 0.1,
  unclear: 0.05,
  wasteNumber: 0.03,
  halfVisible: 0.2,
  indexLagMs: 3_000,
  doubleMessage: 0.2,
  loseMessage: 0.05,
  messageDelayMs: 2_000,
  clockSkewMs: 50,
};

/** The process has crashed; callers must not continue. */
export class Crash extends Error {
  override readonly name = 'Crash';
}

/** A write whose answer was lost, so that the caller cannot know whether it was carried out. */
export class TimedOut extends Error {
  override readonly name = 'TimedOut';
}

/** One process of the control plane: it stalls, and when it has crashed no call of it does anything any more. */
export interface HostileProcess {
  readonly clock: Clock;
  readonly chance: Chance;
  readonly rates: FaultRates;
  /** Runs one call with a possible crash before and after it, stalls around it, and a throttle instead of it. */
  call<T>(work: () => Promise<T>): Promise<T>;
  readonly crashed: () => boolean;
}

export const createHostileProcess = (shared: Clock, chance: Chance, rates: FaultRates): HostileProcess => {
  const skew = Math.round(chance.upTo(2 * rates.clockSkewMs) - rates.clockSkewMs);
  const clock: Clock = { now: () => shared.now() + skew, sleep: (ms) => shared.sleep(ms) };
  let dead = false;
  const dieOrStall = async (): Promise<void> => {
    dead ||= chance.hit(rates.crash / 2);
    if (dead) throw new Crash('the process was killed here');
    if (chance.hit(rates.stall)) await clock.sleep(chance.upTo(rates.stallMs));
  };
  return {
    clock,
    chance,
    rates,
    crashed: () => dead,
    call: async (work) => {
      await dieOrStall();
      if (chance.hit(rates.throttle)) throw tooManyRequests('throttled by the hostile wrapper');
      const result = await work();
      await dieOrStall();
      return result;
    },
  };
};

/** A call that writes one item: now and then its answer is lost, and half of those are carried out all the same. */
export const writing = <T>({ call, chance, rates }: HostileProcess, work: () => Promise<T>): Promise<T> =>
  call(async () => {
    if (!chance.hit(rates.unclear)) return work();
    if (chance.hit(0.5)) await work();
    throw new TimedOut('the answer was lost');
  });
