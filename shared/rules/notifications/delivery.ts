/** What an answer of a sink means, and when an event is sent again. */
import { type BackOffDelays, backOff, jittered } from '../../kube/values/back-off.ts';
import type { EpochMs } from '../../kube/values/time.ts';

/** `refused`: this event never succeeds. `gone`: the sink wants no event any more. */
export type DeliveryVerdict = 'delivered' | 'refused' | 'gone' | 'retry';

/** What became of one delivery. */
export interface Delivery {
  readonly verdict: DeliveryVerdict;
  /** Milliseconds that the sink asked for. */
  readonly retryAfterMs?: number;
  /** For the log. */
  readonly said?: string;
}

/** How a delivery ended, for metrics. */
export type DeliveryOutcome = 'delivered' | 'refused' | 'failed';

const RETRY: BackOffDelays = { firstMs: 1_000, mostMs: 300_000 };
/** The longest wait that a sink may ask for, and the time until one that is gone is asked again. */
const HOUR_MS = 3_600_000;
/** Statuses that say that the event itself is wrong. */
const REFUSALS: ReadonlySet<number> = new Set([400, 406, 413, 415, 422]);

/** What an HTTP status means. Redirects are not followed: the operator has named the sink. */
export const verdictOf = (status: number): DeliveryVerdict => {
  if (status >= 200 && status < 300) return 'delivered';
  if (status === 410) return 'gone';
  return REFUSALS.has(status) ? 'refused' : 'retry';
};

/** Milliseconds that the header `Retry-After` asks for, in seconds or as a date; `undefined`: nothing that can be understood. At most an hour. */
export const retryAfterMs = (header: string | undefined, now: EpochMs): number | undefined => {
  if (header === undefined) return undefined;
  const asked = /^\d+$/.test(header) ? Number(header) * 1000 : Date.parse(header) - now;
  return Number.isNaN(asked) ? undefined : Math.min(HOUR_MS, Math.max(0, asked));
};

/** Milliseconds until the next try after `tries` failed ones; `random` is from 0 to 1. What the sink asks for is a minimum. */
export const retryDelayMs = (
  verdict: 'gone' | 'retry',
  tries: number,
  random: number,
  askedMs: number | undefined,
): number => {
  if (verdict === 'gone') return HOUR_MS;
  return Math.max(askedMs ?? 0, Math.round(jittered(backOff(RETRY, tries - 1), random)));
};
