/** What is remembered of a sink between deliveries, where no process stays: how its deliveries ended, what was told, what was dropped. */
import type { EpochMs } from '../../kube/values/time.ts';
import type { ToldBundle, WaitingEvent } from './bundle.ts';
import { type Delivery, type DeliveryOutcome, retryDelayMs } from './delivery.ts';
import { type Dropped, withDropped, withoutTold } from './overflow.ts';

/** The memory of one sink. */
export interface SinkState {
  /** Deliveries that have failed since the last one that did not. */
  readonly failures: number;
  /** Until then nothing is sent. */
  readonly restsUntil: EpochMs;
  /** What was told last of each bundle. */
  readonly told: Readonly<Record<string, ToldBundle>>;
  readonly dropped?: Dropped;
  /** For when the next look is planned. */
  readonly plannedAt?: EpochMs;
}

/** The memory of a sink that was told nothing yet. */
export const NEW_SINK: SinkState = { failures: 0, restsUntil: 0, told: {} };

/** No rest is longer: one that ends later was begun before the clock was set back. */
const LONGEST_REST_MS = 3_600_000;
/** Bundles that were told before this no longer put off another notification: twice the time for which they do, because an event may have waited. */
const TOLD_MS = 600_000;
/** Bundles that are remembered, the newest ones. */
const MOST_TOLD = 200;

/** Milliseconds for which the sink rests from `now` on; 0: it does not. */
export const restMs = ({ restsUntil }: SinkState, now: EpochMs): number =>
  restsUntil - now > LONGEST_REST_MS ? 0 : Math.max(0, restsUntil - now);

const remembered = (told: SinkState['told'], now: EpochMs): SinkState['told'] =>
  Object.fromEntries(
    Object.entries(told)
      .filter(([, { at }]) => now - at < TOLD_MS)
      .toSorted(([, one], [, other]) => other.at - one.at)
      .slice(0, MOST_TOLD),
  );

/** Whether the event is done with: it was taken, or it would never be. */
export const isSettled = ({ verdict }: Delivery): boolean => verdict === 'delivered' || verdict === 'refused';

/** How a delivery ended. */
export const outcomeOf = (delivery: Delivery): DeliveryOutcome => {
  if (delivery.verdict === 'delivered') return 'delivered';
  return isSettled(delivery) ? 'refused' : 'failed';
};

/** What was tried: a bundle with the severity of its lead, or what was dropped. */
export type Tried =
  | { readonly bundle: string; readonly severity: ToldBundle['severity'] }
  | { readonly dropped: Dropped };

const afterSettled = (state: SinkState, tried: Tried, now: EpochMs): SinkState => {
  const { dropped, ...rest } = state;
  const calm = { ...rest, failures: 0, restsUntil: 0 };
  if ('dropped' in tried) {
    const left = withoutTold(dropped, tried.dropped, now);
    return left ? { ...calm, dropped: left } : calm;
  }
  const told = { ...remembered(state.told, now), [tried.bundle]: { at: now, severity: tried.severity } };
  return { ...calm, told, ...(dropped ? { dropped } : {}) };
};

/** The memory after a delivery that ended at `now`; `random` is from 0 to 1. A failure puts the whole sink to rest, so that order is kept. */
export const afterDelivery = (
  state: SinkState,
  tried: Tried,
  delivery: Delivery,
  now: EpochMs,
  random: number,
): SinkState => {
  const { verdict, retryAfterMs } = delivery;
  if (verdict !== 'retry' && verdict !== 'gone') return afterSettled(state, tried, now);
  const failures = state.failures + 1;
  return { ...state, failures, restsUntil: now + retryDelayMs(verdict, failures, random, retryAfterMs) };
};

/** The memory after events were dropped at `now`. */
export const afterDropping = (
  state: SinkState,
  events: readonly WaitingEvent[],
  now: EpochMs,
): SinkState => ({ ...state, dropped: withDropped(state.dropped, events, now) });

/** Whether a look at `at` has to be planned at `now`: none is planned before. */
export const needsLook = ({ plannedAt }: SinkState, at: EpochMs, now: EpochMs): boolean =>
  plannedAt === undefined || plannedAt <= now || plannedAt > at;
