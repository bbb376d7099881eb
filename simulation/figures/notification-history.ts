/** What people would have been told in a run. */
import type { EpochMs } from '../../shared/kube/values/time.ts';
import type { EventBus } from '../../shared/ports/outside/event-bus.ts';
import type { Clock } from '../../shared/ports/process/clock.ts';
import { asTold, type Published, type ToldNotification } from '../../shared/rules/notifications/as-told.ts';
import { passesFilter } from '../../shared/rules/notifications/event-filter.ts';
import type { EventFilter } from '../../shared/settings/events/event-filter.ts';

/** What a sink asks for that names nothing: what needs a person, and the end of such a need. */
const FILTER: EventFilter = { severity: 'resolved' };

/** Takes down what is published. */
export interface NotificationHistory {
  /** A bus that takes down what is published on another one. */
  readonly noting: (bus: EventBus) => EventBus;
  /** What a sink without a filter would have been told until then. */
  readonly told: (until: EpochMs) => readonly ToldNotification[];
}

/** Takes down what is published under a clock. */
export const createNotificationHistory = (clock: Pick<Clock, 'now'>): NotificationHistory => {
  const published: Published[] = [];
  return {
    noting: (bus) => ({
      publish: async (events) => {
        await bus.publish(events);
        for (const event of events)
          if (passesFilter(event, FILTER)) published.push({ at: clock.now(), event });
      },
    }),
    told: (until) => asTold(published, until),
  };
};
