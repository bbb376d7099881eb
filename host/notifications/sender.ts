/** Sends what waits for one sink. */
import type { NoticeStore } from '../../shared/adapters/sqlite/objects/notices.ts';
import type { Clock } from '../../shared/ports/process/clock.ts';
import {
  type DueBundle,
  groupedBehind,
  leadOf,
  MOST_SINGLE,
  MOST_TOGETHER,
  nextBundle,
  nextSingle,
  type ToldBundle,
} from '../../shared/rules/notifications/bundle.ts';
import { type CloudEvent, cloudEventOf } from '../../shared/rules/notifications/cloud-event.ts';
import type { Delivery, DeliveryOutcome } from '../../shared/rules/notifications/delivery.ts';
import { droppedEvent, withoutTold } from '../../shared/rules/notifications/overflow.ts';
import { createDoorbell } from '../../shared/serving/machine/doorbell.ts';
import type { Loop } from '../../shared/serving/machine/loop.ts';
import { type Attempts, createAttempts } from './attempts.ts';
import type { Receiver } from './outbox.ts';
import type { Sink } from './sink.ts';

/** What a sender needs. */
export interface SenderDeps {
  readonly notices: NoticeStore;
  readonly clock: Pick<Clock, 'now'>;
  readonly random: () => number;
  readonly clusterId: string;
  readonly onDelivery: (sink: string, outcome: DeliveryOutcome, delivery: Delivery) => void;
  /** Called now and then: how many events wait, and for how long the oldest one has (ms). */
  readonly onLength: (sink: string, count: number, oldestMs: number) => void;
  readonly onError: (error: unknown) => void;
}

/** The deliveries of one sink that have not ended. */
interface Flights {
  /** What they are about. */
  readonly busy: ReadonlySet<string>;
  count(): number;
  launch(subjects: readonly string[], work: Promise<void>): void;
  /** Resolves when all have ended. */
  landed(): Promise<void>;
}

interface Sending extends SenderDeps {
  readonly sink: Sink;
  readonly attempts: Attempts;
  readonly flights: Flights;
  readonly told: Map<string, ToldBundle>;
  readonly signal: AbortSignal;
}

const LONGEST_WAIT_MS = 5_000;
/** Bundles whose last notification is remembered. */
const MOST_TOLD = 1_000;
/** The place of the event that tells what was dropped. */
const DROPPED = 0;

const failedBy = (error: unknown): Delivery => ({ verdict: 'retry', said: String(error) });

/** Calls `onDone` if the event at the position is done with. */
const send = async (
  { sink, signal, attempts }: Sending,
  event: CloudEvent,
  position: number,
  onDone: () => void,
): Promise<void> => {
  const delivery = await sink.deliver(event, signal).catch(failedBy);
  // After a stop the files are closed. What was not settled is sent again after the next start.
  if (!signal.aborted && attempts.note(delivery, position)) onDone();
};

const remember = ({ told, clock }: Sending, key: string, severity: ToldBundle['severity']): void => {
  if (told.size >= MOST_TOLD) told.clear();
  told.set(key, { at: clock.now(), severity });
};

const sendBundle = (sending: Sending, { key, events }: DueBundle): void => {
  const { notices, sink, clusterId, flights } = sending;
  const lead = leadOf(events);
  const event = lead && notices.event(lead.position);
  const positions = events.map(({ position }) => position);
  if (!event) {
    notices.remove(sink.name, positions);
    return;
  }
  const cloudEvent = cloudEventOf(event, groupedBehind(lead, events), clusterId, lead.storedAt);
  const onDone = (): void => {
    notices.remove(sink.name, positions);
    remember(sending, key, lead.severity);
  };
  const subjects = [...new Set(events.map(({ subject }) => subject))];
  flights.launch(subjects, send(sending, cloudEvent, lead.position, onDone));
};

/** Whether the sink has yet to hear of what was dropped. Then that is sent before all else. */
const sendDropped = (sending: Sending): boolean => {
  const { notices, sink, clock, clusterId, flights } = sending;
  const dropped = notices.dropped(sink.name);
  if (!dropped) return false;
  const event = cloudEventOf(droppedEvent(dropped), [], clusterId, clock.now());
  const onDone = (): void => {
    const left = withoutTold(notices.dropped(sink.name), dropped, clock.now());
    notices.remove(sink.name, [], left ?? null);
  };
  flights.launch([], send(sending, event, DROPPED, onDone));
  return true;
};

const next = ({ sink, notices, told, flights: { busy } }: Sending): DueBundle | undefined =>
  sink.isGrouped
    ? nextBundle(notices.waiting(sink.name, MOST_TOGETHER), told, busy)
    : nextSingle(notices.waiting(sink.name, MOST_SINGLE), busy);

/** Starts what is due. Returns the wait (ms) until something else is. */
const sendDue = (sending: Sending): number => {
  const { sink, attempts, flights, clock } = sending;
  // After a failure one delivery tells whether the sink works again.
  const atOnce = attempts.isFailing() ? 1 : sink.atOnce;
  while (flights.count() < atOnce) {
    const bundle = next(sending);
    if (!bundle) break;
    const waitMs = bundle.dueAt - clock.now();
    if (waitMs > 0) return waitMs;
    sendBundle(sending, bundle);
  }
  return LONGEST_WAIT_MS;
};

/** Starts what may be started, and returns the wait (ms) until the next look. */
const turn = (sending: Sending): number => {
  const { notices, sink, clock, attempts, flights, onLength } = sending;
  const { count, oldestAt } = notices.length(sink.name);
  onLength(sink.name, count, oldestAt === undefined ? 0 : Math.max(0, clock.now() - oldestAt));
  const restMs = attempts.restMs();
  if (restMs > 0) return restMs;
  return flights.count() === 0 && sendDropped(sending) ? LONGEST_WAIT_MS : sendDue(sending);
};

const waitAfter = (sending: Sending): number => {
  try {
    return Math.min(turn(sending), LONGEST_WAIT_MS);
  } catch (error) {
    sending.onError(error);
    return LONGEST_WAIT_MS;
  }
};

/** `onEnd` is called after each delivery, `onError` before it for one that rejects. */
const createFlights = (onEnd: () => void, onError: (error: unknown) => void): Flights => {
  const busy = new Set<string>();
  const inFlight = new Set<Promise<void>>();
  return {
    busy,
    count: () => inFlight.size,
    launch: (subjects, work) => {
      for (const subject of subjects) busy.add(subject);
      const flight = work.catch(onError).finally(() => {
        for (const subject of subjects) busy.delete(subject);
        inFlight.delete(flight);
        onEnd();
      });
      inFlight.add(flight);
    },
    landed: async () => {
      await Promise.all(inFlight);
    },
  };
};

/** The sender of a sink. It waits for the sink in its own time, and nothing waits for it. */
export const startSender = (deps: SenderDeps, sink: Sink): Receiver & Loop => {
  const bell = createDoorbell();
  const stop = new AbortController();
  const flights = createFlights(bell.ring, deps.onError);
  const attempts = createAttempts(deps, sink);
  const sending: Sending = { ...deps, sink, attempts, flights, told: new Map(), signal: stop.signal };
  const run = async (): Promise<void> => {
    while (!stop.signal.aborted) await bell.wait(waitAfter(sending));
  };
  const running = run();
  return {
    sink,
    busy: flights.busy,
    // Groups are due seconds after their first event. To look at all of them with each event would cost more than to send them.
    ring: sink.isGrouped ? () => undefined : bell.ring,
    stop: async () => {
      stop.abort();
      bell.ring();
      await running;
      await flights.landed();
      sink.close();
    },
  };
};
