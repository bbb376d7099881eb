import type { EventBus } from '../../ports/outside/event-bus.ts';
import type { Clock } from '../../ports/process/clock.ts';
import { SINK_LOOKS, type SinkLook } from '../../ports/process/messages.ts';
import type { WorkQueues } from '../../ports/process/work-queue.ts';
import type { Outbox } from '../../ports/store/outbox.ts';
import { QUICK_MS } from '../../rules/notifications/bundle.ts';
import { passesFilter } from '../../rules/notifications/event-filter.ts';
import { noticeOf } from '../../rules/notifications/notice.ts';
import type { SinkFilter } from '../../settings/events/sink-filters.ts';

/** What a bus needs that stores events for sinks. */
export interface OutboxBusDeps {
  /** Gets all events, before they are stored for sinks. */
  readonly bus: EventBus;
  readonly outbox: Pick<Outbox, 'add'>;
  readonly queues: WorkQueues;
  readonly clock: Pick<Clock, 'now'>;
  readonly sinks: readonly SinkFilter[];
}

/** An event waits two weeks at most, as a message does. */
const KEPT_MS = 14 * 86_400_000;

/** The look at a sink that got events: a group is due some seconds after its first event. */
const lookAt = ({ name, isGrouped }: SinkFilter) => {
  const body: SinkLook = { v: 1, kind: 'sink', sink: name };
  return { body, delaySeconds: isGrouped ? QUICK_MS / 1000 : 0 };
};

/** A bus that publishes on another one, stores events for each sink that wants them, and has the sender look at it. Nothing waits for a sink. */
export const createOutboxBus = ({ bus, outbox, queues, clock, sinks }: OutboxBusDeps): EventBus => ({
  publish: async (events) => {
    await bus.publish(events);
    const storedAt = clock.now();
    for (const sink of sinks) {
      const wanted = events.filter((event) => passesFilter(event, sink.filter));
      if (wanted.length === 0) continue;
      const notices = wanted.map(({ detailType, detail }) => noticeOf({ detailType, detail }, storedAt));
      await outbox.add(sink.name, notices, storedAt + KEPT_MS);
      await queues.send(SINK_LOOKS, [lookAt(sink)]);
    }
  },
});
