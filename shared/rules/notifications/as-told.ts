/** What a sink would have been told of the events that it asks for, if it took everything at once. */
import type { EpochMs } from '../../kube/values/time.ts';
import type { EventType, Severity } from '../../settings/events/event-types.ts';
import {
  type GroupedEvents,
  groupedBehind,
  leadOf,
  MOST_TOGETHER,
  nextBundle,
  type ToldBundle,
  type WaitingEvent,
} from './bundle.ts';
import type { LifecycleEvent } from './lifecycle-event.ts';
import { type NewNotice, noticeOf } from './notice.ts';

/** An event, and when it was published. */
export interface Published {
  readonly at: EpochMs;
  readonly event: LifecycleEvent;
}

/** What was told at an instant: one event, and those behind it. */
export interface ToldNotification {
  readonly at: EpochMs;
  readonly type: EventType;
  readonly severity: Severity;
  readonly subject: string;
  readonly message: string;
  readonly grouped: readonly GroupedEvents[];
}

type Waiting = WaitingEvent & NewNotice;

interface Telling {
  /** In the order of positions, each id once. */
  waiting: Waiting[];
  readonly ids: Set<string>;
  readonly told: Map<string, ToldBundle>;
  readonly notifications: ToldNotification[];
}

/** The longest time between two looks: something worse may be due earlier than what waited before. */
const LOOK_MS = 1_000;

const toWaiting = ({ at, event }: Published, place: number): Waiting => ({
  ...noticeOf(event, at),
  position: place + 1,
});

/** Of two with one id the first counts while it waits. */
const add = ({ waiting, ids }: Telling, arriving: Waiting): void => {
  if (ids.has(arriving.id)) return;
  ids.add(arriving.id);
  waiting.push(arriving);
};

const settle = (telling: Telling, events: readonly WaitingEvent[]): void => {
  const gone = new Set(events.map(({ position }) => position));
  for (const { id, position } of telling.waiting) if (gone.has(position)) telling.ids.delete(id);
  telling.waiting = telling.waiting.filter(({ position }) => !gone.has(position));
};

/** Tells what is due at `now`. Returns the instant of the next look; `undefined`: nothing waits. */
const tellDue = (telling: Telling, now: EpochMs): EpochMs | undefined => {
  for (;;) {
    const bundle = nextBundle(telling.waiting.slice(0, MOST_TOGETHER), telling.told);
    const lead = bundle && leadOf(bundle.events);
    const said = telling.waiting.find(({ position }) => position === lead?.position);
    if (!bundle || !lead || !said) return undefined;
    if (bundle.dueAt > now) return Math.min(bundle.dueAt, now + LOOK_MS);
    const { type, severity, subject, event } = said;
    const grouped = groupedBehind(lead, bundle.events);
    telling.notifications.push({ at: now, type, severity, subject, message: event.detail.message, grouped });
    settle(telling, bundle.events);
    telling.told.set(bundle.key, { at: now, severity });
  }
};

/** All notifications until `until`, in order, with groups. `published`: what the sink asks for, in the order of its instants. */
export const asTold = (published: readonly Published[], until: EpochMs): readonly ToldNotification[] => {
  const wanted = published.map(toWaiting);
  const telling: Telling = { waiting: [], ids: new Set(), told: new Map(), notifications: [] };
  let lookAt: EpochMs | undefined;
  for (let next = 0; next < wanted.length || lookAt !== undefined; ) {
    const arriving = wanted[next];
    if (arriving && (lookAt === undefined || arriving.storedAt <= lookAt)) {
      add(telling, arriving);
      lookAt ??= arriving.storedAt;
      next += 1;
      continue;
    }
    if (lookAt === undefined || lookAt > until) break;
    lookAt = tellDue(telling, lookAt);
  }
  return telling.notifications;
};
