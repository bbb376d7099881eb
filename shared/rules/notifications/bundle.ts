/** Which waiting events are told together, and when: an outage of a zone is one notification. */
import type { EpochMs } from '../../kube/values/time.ts';
import { type EventType, SEVERITIES, type Severity } from '../../settings/events/event-types.ts';
import { isAtLeast, type LifecycleEvent } from './lifecycle-event.ts';

/** An event that waits for its subscriber, without what it says. */
export interface WaitingEvent {
  /** Its place in the order in which events were stored. */
  readonly position: number;
  readonly subject: string;
  readonly bundle: string;
  readonly severity: Severity;
  readonly type: EventType;
  readonly storedAt: EpochMs;
}

/** What was told last of a bundle. */
export interface ToldBundle {
  readonly at: EpochMs;
  readonly severity: Severity;
}

/** Events to be told together, from `dueAt` (ms) on. At least one. */
export interface DueBundle {
  readonly key: string;
  readonly events: readonly WaitingEvent[];
  readonly dueAt: EpochMs;
}

/** Further events of a notification, by type. */
export interface GroupedEvents {
  readonly type: EventType;
  readonly count: number;
  readonly subjects: readonly string[];
}

/** From the first event of a bundle until it is told, ms. */
export const QUICK_MS = 10_000;
/** The same after the bundle was told: what goes on need not be told each few seconds. */
const LONG_MS = 300_000;
/** The two sides of a place's bundles. */
const PROBLEM = 'problem';
const RESOLVED = 'resolved';
/** Events that are looked at together: more waiting ones make a second notification. */
export const MOST_TOGETHER = 2_000;
/** The same without groups: only the next free one is looked for. */
export const MOST_SINGLE = 100;
/** Subjects that a notification names for each type. */
const MOST_NAMED = 10;

/** What an event is about: `node/<name>`, `pod/<namespace>/<name>`, `zone/<name>` or `site/<relay>`. */
export const subjectOf = ({ detailType, detail }: LifecycleEvent): string => {
  if (detailType === 'PodEvicted') return `pod/${String(detail['namespace'])}/${String(detail['pod'])}`;
  if (detailType === 'ZoneStateChanged') return `zone/${detail.zone}`;
  return typeof detail['relay'] === 'string' ? `site/${detail['relay']}` : `node/${String(detail['node'])}`;
};

const sideOf = ({ detailType, detail: { severity } }: LifecycleEvent): string => {
  if (severity === 'info') return `info/${detailType}`;
  return severity === 'resolved' ? RESOLVED : PROBLEM;
};

/** Events of one bundle may be told together: the problems of a zone, what has ended in it, or one type that needs nobody. */
export const bundleOf = (event: LifecycleEvent): string => {
  const place =
    event.detail.zone === undefined ? subjectOf(event).split('/', 2).join('/') : event.detail.zone;
  return `${event.detailType === 'PodEvicted' ? 'pods' : place}|${sideOf(event)}`;
};

/**
 * The events that may be told, by bundle. An event waits for every earlier one of its subject that is in another bundle or is being told (`busy`), so that
 * what happened to a subject is told in its order.
 */
const unblocked = (
  waiting: readonly WaitingEvent[],
  busy: ReadonlySet<string>,
): ReadonlyMap<string, readonly WaitingEvent[]> => {
  const firstOf = new Map<string, string>();
  const blocked = new Set(busy);
  const bundles = new Map<string, WaitingEvent[]>();
  for (const event of waiting) {
    if ((firstOf.get(event.subject) ?? event.bundle) !== event.bundle) blocked.add(event.subject);
    if (blocked.has(event.subject)) continue;
    firstOf.set(event.subject, event.bundle);
    const bundle = bundles.get(event.bundle) ?? [];
    bundle.push(event);
    bundles.set(event.bundle, bundle);
  }
  return bundles;
};

const mostSevere = (events: readonly WaitingEvent[]): Severity =>
  events.reduce<Severity>((most, { severity }) => (isAtLeast(severity, most) ? severity : most), 'info');

const dueAt = (events: readonly WaitingEvent[], told: ToldBundle | undefined): EpochMs => {
  const firstAt = events[0]?.storedAt ?? 0;
  const isKnown = told !== undefined && isAtLeast(told.severity, mostSevere(events));
  return firstAt + (isKnown && firstAt - told.at < LONG_MS ? LONG_MS : QUICK_MS);
};

/** What was told of a bundle, unless its end was told after it: problems that come then are new ones. */
const toldOf = (key: string, told: ReadonlyMap<string, ToldBundle>): ToldBundle | undefined => {
  const own = told.get(key);
  const end = key.endsWith(PROBLEM) ? told.get(key.slice(0, -PROBLEM.length) + RESOLVED) : undefined;
  return own && end && end.at > own.at ? undefined : own;
};

/**
 * The bundle that is due first; `undefined`: none. `waiting` is in the order of positions. A bundle that was told in the last five minutes waits for five
 * minutes, unless something worse has happened since, or it was a problem whose end was told.
 */
export const nextBundle = (
  waiting: readonly WaitingEvent[],
  told: ReadonlyMap<string, ToldBundle>,
  busy: ReadonlySet<string> = new Set(),
): DueBundle | undefined => {
  let next: DueBundle | undefined;
  for (const [key, events] of unblocked(waiting, busy)) {
    const at = dueAt(events, toldOf(key, told));
    if (next === undefined || at < next.dueAt) next = { key, events, dueAt: at };
  }
  return next;
};

/** The first event that may be told by itself; `undefined`: none. */
export const nextSingle = (
  waiting: readonly WaitingEvent[],
  busy: ReadonlySet<string>,
): DueBundle | undefined => {
  const event = waiting.find(({ subject }) => !busy.has(subject));
  return event && { key: event.bundle, events: [event], dueAt: event.storedAt };
};

const isPlace = ({ subject }: WaitingEvent): boolean => !/^(node|pod)\//.test(subject);

const rankOf = (event: WaitingEvent): number =>
  2 * SEVERITIES.indexOf(event.severity) + (isPlace(event) ? 1 : 0);

/** The event that speaks for a bundle: the worst one; of zones and sites the newest, because a later state replaces the one before. */
export const leadOf = (events: readonly WaitingEvent[]): WaitingEvent | undefined => {
  let lead: WaitingEvent | undefined;
  for (const event of events) {
    const [rank, best] = [rankOf(event), lead ? rankOf(lead) : -1];
    if (rank > best || (rank === best && isPlace(event))) lead = event;
  }
  return lead;
};

/** All events of a bundle but the one that speaks for it, counted by type. */
export const groupedBehind = (
  lead: WaitingEvent,
  events: readonly WaitingEvent[],
): readonly GroupedEvents[] => {
  const others = events.filter(({ position }) => position !== lead.position);
  return [...Map.groupBy(others, ({ type }) => type)].map(([type, own]) => ({
    type,
    count: own.length,
    subjects: [...new Set(own.map(({ subject }) => subject))].slice(0, MOST_NAMED),
  }));
};
