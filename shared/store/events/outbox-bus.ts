import type { EventBus } from '../../ports/outside/event-bus.ts';
import type { Clock } from '../../ports/process/clock.ts';
import { SINK_LOOKS, type SinkLook } from '../../ports/process/messages.ts';
import type { WorkQueues } from '../../ports/process/work-queue.ts';
import type { Outbox } from '../../ports/store/outbox.ts';
import { QUICK_MS } from '../../rules/notifications/bundle.ts';
import { passesFilter } from '../../rules/notifications/event-filter.ts';
import { noticeOf } from '../../rules/notifications/notice.ts';
import type { SinkFilter } from '../../settings/events/sink-filters.ts';
import { runParts } from '../turns/run-parts.ts';

/** What buses need that store events for sinks. */
export interface SinkBusDeps {
  readonly outbox: Pick<Outbox, 'add'>;
  readonly queues: WorkQueues;
  readonly clock: Pick<Clock, 'now'>;
  readonly sinks: readonly SinkFilter[];
}

/** What a bus needs that has others beside sinks. */
export interface OutboxBusDeps extends SinkBusDeps {
  /** Gets all events. */
  readonly bus: EventBus;
}

/** A bus whose failures are told apart from those of others. */
export interface NamedBus extends EventBus {
  readonly name: string;
}

/** An event waits two weeks at most, as a message does. */
const KEPT_MS = 14 * 86_400_000;

/** The look at a sink that got events: a group is due some seconds after its first event. */
const lookAt = ({ name, isGrouped }: SinkFilter) => {
  const body: SinkLook = { v: 1, kind: 'sink', sink: name };
  return { body, delaySeconds: isGrouped ? QUICK_MS / 1000 : 0 };
};

const sinkBus = ({ outbox, queues, clock }: SinkBusDeps, sink: SinkFilter): NamedBus => ({
  name: `sink ${sink.name}`,
  publish: async (events) => {
    const storedAt = clock.now();
    const wanted = events.filter((event) => passesFilter(event, sink.filter));
    if (wanted.length === 0) return;
    const notices = wanted.map(({ detailType, detail }) => noticeOf({ detailType, detail }, storedAt));
    await outbox.add(sink.name, notices, storedAt + KEPT_MS);
    await queues.send(SINK_LOOKS, [lookAt(sink)]);
  },
});

/** A bus for each sink: it stores the events that the sink wants, and has the sender look at it. Nothing waits for a sink. */
export const createSinkBuses = (deps: SinkBusDeps): readonly NamedBus[] =>
  deps.sinks.map((sink) => sinkBus(deps, sink));

/** A bus that publishes on another one and stores the events for sinks. Each goes on although others fail; then it rejects. */
export const createOutboxBus = ({ bus, ...deps }: OutboxBusDeps): EventBus => {
  const buses: readonly NamedBus[] = [{ ...bus, name: 'event bus' }, ...createSinkBuses(deps)];
  return {
    publish: (events) => runParts(buses.map(({ name, publish }) => ({ name, run: () => publish(events) }))),
  };
};
