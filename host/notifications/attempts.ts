/** How the deliveries to a sink end, and when the next one may begin. */
import {
  type Delivery,
  type DeliveryOutcome,
  type DeliveryVerdict,
  retryDelayMs,
} from '../../shared/rules/notifications/delivery.ts';
import type { Sink } from './sink.ts';

/** The deliveries of one sink. */
export interface Attempts {
  /** Milliseconds for which the sink rests; 0 or less: it does not. Steps of the clock do not count. */
  restMs(): number;
  /** Whether the last delivery failed. */
  isFailing(): boolean;
  /** Takes note of a delivery of the event at a position. Returns whether the event is done with. */
  note(delivery: Delivery, position: number): boolean;
}

interface AttemptsDeps {
  readonly random: () => number;
  readonly onDelivery: (sink: string, outcome: DeliveryOutcome, delivery: Delivery) => void;
}

const isLasting = (verdict: DeliveryVerdict): boolean => verdict === 'delivered' || verdict === 'refused';

const outcomeOf = (verdict: DeliveryVerdict, isDone: boolean): DeliveryOutcome => {
  if (verdict === 'delivered') return 'delivered';
  return isDone ? 'refused' : 'failed';
};

export const createAttempts = (
  { random, onDelivery }: AttemptsDeps,
  { name, mostTries = Number.POSITIVE_INFINITY }: Sink,
): Attempts => {
  const tries = new Map<number, number>();
  let [failures, restsUntil] = [0, 0];
  const rest = (kind: 'gone' | 'retry', askedMs: number | undefined): void => {
    failures += 1;
    restsUntil = performance.now() + retryDelayMs(kind, failures, random(), askedMs);
  };
  return {
    restMs: () => restsUntil - performance.now(),
    isFailing: () => failures > 0,
    note: (delivery, position) => {
      const { verdict, retryAfterMs } = delivery;
      const tried = (tries.get(position) ?? 0) + 1;
      const isDone = isLasting(verdict) || (verdict === 'retry' && tried >= mostTries);
      if (isDone) tries.delete(position);
      else tries.set(position, tried);
      if (verdict === 'retry' || verdict === 'gone') rest(verdict, retryAfterMs);
      else failures = 0;
      onDelivery(name, outcomeOf(verdict, isDone), delivery);
      return isDone;
    },
  };
};
