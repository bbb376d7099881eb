import type { LifecycleEvent } from '../../rules/notifications/lifecycle-event.ts';

/** Publishes at least once, in no order. Refused entries are sent again; throws when some are still refused. */
export interface EventBus {
  /** Publishes all events, in batches. */
  publish(events: readonly LifecycleEvent[]): Promise<void>;
}
