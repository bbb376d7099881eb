import type { EpochMs } from '../api/time.ts';
import type { WaitingEvent } from '../domain/notifications/bundle.ts';
import type { LifecycleEvent } from '../domain/notifications/lifecycle-event.ts';

/** An event to store for a sink. `id` is the same for each repetition. */
export interface NewNotice extends Omit<WaitingEvent, 'position'> {
  readonly id: string;
  readonly event: LifecycleEvent;
}

/** An event that waits for a sink. */
export interface Notice extends NewNotice {
  /** Its key in the outbox of the sink. */
  readonly key: string;
}

/** Events that wait for sinks, for several processes. */
export interface Outbox {
  /** Stores events for a sink until `expiresAt`, or until they are removed. One that is added again may be stored twice. Several may be stored when it throws. */
  add(sink: string, notices: readonly NewNotice[], expiresAt: EpochMs): Promise<void>;
  /** The first ones of a sink by `storedAt`, at most `most`. Consistent. */
  waiting(sink: string, most: number): Promise<readonly Notice[]>;
  /** Removes events. Those that are gone already do no harm. */
  remove(sink: string, keys: readonly string[]): Promise<void>;
}
