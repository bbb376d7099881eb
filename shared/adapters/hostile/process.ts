import { tooManyRequests } from '../../kube/errors/status-error.ts';
import type { Clock } from '../../ports/process/clock.ts';
import type { CapacityOutcome } from '../../ports/store/capacity.ts';
import type { Chance } from './chance.ts';

/** How often each fault happens: a probability per call, 0–1, or milliseconds where the name ends in `Ms`. */
export interface FaultRates {
  /** The process is killed. */
  readonly crash: number;
  /** The process does not run for a while. */
  readonly stall: number;
  /** The longest stall, in milliseconds. */
  readonly stallMs: number;
  /** The call throws 429. */
  readonly throttle: number;
  /** A transaction is refused as busy, as by a TransactionConflict. */
  readonly busy: number;
  /** The answer to a transaction is lost. Half of these transactions were or will be carried out. */
  readonly unclear: number;
  /** A revision is taken and never used. */
  readonly wasteNumber: number;
  /** A read sees one half of a transaction without the other. */
  readonly halfVisible: number;
  /** A read of slots ends early, as one of large objects does. */
  readonly shortRead: number;
  /** The longest lag of an index row or a scanned item, in milliseconds. It differs per row. */
  readonly indexLagMs: number;
  /** A message is delivered twice. */
  readonly doubleMessage: number;
  /** A message is never delivered. */
  readonly loseMessage: number;
  /** The longest delay of a message, in milliseconds. */
  readonly messageDelayMs: number;
  /** The clock of the process is wrong by up to this many milliseconds, in either direction. */
  readonly clockSkewMs: number;
}

/** Rates with which nothing fails; for tests that set single rates. */
export const NO_FAULTS: FaultRates = {
  crash: 0,
  stall: 0,
  stallMs: 0,
  throttle: 0,
  busy: 0,
  unclear: 0,
  wasteNumber: 0,
  halfVisible: 0,
  shortRead: 0,
  indexLagMs: 0,
  doubleMessage: 0,
  loseMessage: 0,
  messageDelayMs: 0,
  clockSkewMs: 0,
};

/** Rates that are far higher than those of AWS, so that a short run meets every fault. */
export const BAD_DAY: FaultRates = {
  crash: 0.01,
  stall: 0.05,
  stallMs: 7_000,
  throttle: 0.02,
  busy: 0.1,
  unclear: 0.05,
  wasteNumber: 0.03,
  halfVisible: 0.2,
  shortRead: 0.2,
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

/** The answer to a write was lost, so the caller cannot know whether it was carried out. */
export class TimedOut extends Error {
  override readonly name = 'TimedOut';
}

/** One simulated process of the control plane. It may stall; after it has crashed, every call throws `Crash`. */
export interface HostileProcess {
  readonly clock: Clock;
  readonly chance: Chance;
  readonly rates: FaultRates;
  /**
   * Runs one call. Before and after it the process may stall or crash (throws `Crash`); instead of it the call may be throttled
   * (throws `StatusError` 429).
   */
  call<T>(work: () => Promise<T>): Promise<T>;
  readonly crashed: () => boolean;
}

/** Creates a process whose clock is skewed from the `shared` one by a constant random amount. */
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

/** Runs a call that writes one item. If its answer is lost it throws `TimedOut`; half of those writes are carried out. */
export const writing = <T>({ call, chance, rates }: HostileProcess, work: () => Promise<T>): Promise<T> =>
  call(async () => {
    if (!chance.hit(rates.unclear)) return work();
    if (chance.hit(0.5)) await work();
    throw new TimedOut('the answer was lost');
  });

/** Milliseconds after a lost answer within which a write may still be carried out. */
const IN_FLIGHT_MS = 1_500;

/** Runs a conditional write of capacity. It may be busy; if its answer is lost it is `unclear`, and may be carried out later. */
export const inDoubt = (
  { call, chance, rates, clock }: HostileProcess,
  write: () => Promise<CapacityOutcome>,
): Promise<CapacityOutcome> =>
  call(async () => {
    if (chance.hit(rates.busy)) return 'busy';
    if (!chance.hit(rates.unclear)) return write();
    if (chance.hit(0.5)) void clock.sleep(chance.upTo(IN_FLIGHT_MS)).then(write);
    return 'unclear';
  });
