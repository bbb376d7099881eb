/** What is dropped when a subscriber has taken nothing for too long. */
import type { EpochMs } from '../../kube/values/time.ts';
import { toTime } from '../../kube/values/time.ts';
import type { WaitingEvent } from './bundle.ts';
import type { LifecycleEvent } from './lifecycle-event.ts';

/** Events that were dropped and not told yet. */
export interface Dropped {
  readonly count: number;
  readonly byType: Readonly<Record<string, number>>;
  readonly sinceAt: EpochMs;
}

/** Most events that wait for one sink. */
export const MOST_WAITING = 10_000;
/** What is left when `most` is exceeded, so that not each further event has to make room. */
const LEFT = 0.9;

/** The positions of those that a later event of the same subject replaces, oldest first. */
const replaced = (waiting: readonly WaitingEvent[]): readonly WaitingEvent[] => {
  const last = new Map(waiting.map(({ subject, position }) => [subject, position]));
  return waiting.filter(({ subject, position }) => last.get(subject) !== position);
};

/**
 * The events that are dropped if there are more than `most`: first those whose subject has a later event, then those that need nobody, then the oldest.
 * What is being told (`busy`) stays.
 */
export const overflow = (
  waiting: readonly WaitingEvent[],
  most: number,
  busy: ReadonlySet<string>,
): readonly WaitingEvent[] => {
  if (waiting.length <= most) return [];
  const free = waiting.filter(({ subject }) => !busy.has(subject));
  const order = [...replaced(free), ...free.filter(({ severity }) => severity === 'info'), ...free];
  return [...new Set(order)].slice(0, waiting.length - Math.floor(most * LEFT));
};

const sum = (one: Dropped['byType'], other: Dropped['byType'], sign: 1 | -1): Dropped['byType'] => {
  const types = [...new Set([...Object.keys(one), ...Object.keys(other)])];
  const counts = types.map((type) => [type, (one[type] ?? 0) + sign * (other[type] ?? 0)] as const);
  return Object.fromEntries(counts.filter(([, count]) => count > 0));
};

/** `dropped` with further events, at `now` (ms). */
export const withDropped = (
  dropped: Dropped | undefined,
  events: readonly WaitingEvent[],
  now: EpochMs,
): Dropped => {
  const counts: Record<string, number> = {};
  for (const { type } of events) counts[type] = (counts[type] ?? 0) + 1;
  return {
    count: (dropped?.count ?? 0) + events.length,
    byType: sum(dropped?.byType ?? {}, counts, 1),
    sinceAt: dropped?.sinceAt ?? now,
  };
};

/** What is left of `dropped` after `told` was told; `undefined`: nothing. */
export const withoutTold = (
  dropped: Dropped | undefined,
  told: Dropped,
  now: EpochMs,
): Dropped | undefined =>
  dropped === undefined || dropped.count <= told.count
    ? undefined
    : {
        count: dropped.count - told.count,
        byType: sum(dropped.byType, told.byType, -1),
        sinceAt: now,
      };

/** The event that tells a subscriber what it did not get. */
export const droppedEvent = ({ count, byType, sinceAt }: Dropped): LifecycleEvent => {
  const kinds = Object.entries(byType).map(([type, own]) => `${own} ${type}`);
  const message = `${count} events were dropped because this sink did not take them: ${kinds.join(', ')}`;
  const id = `dropped/${sinceAt}/${count}`;
  const detail = { id, severity: 'warning' as const, message, count, byType, since: toTime(sinceAt) };
  return { detailType: 'NotificationsDropped', detail };
};
