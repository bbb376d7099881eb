/**
 * Converts Events between `v1`, as they are stored, and `events.k8s.io/v1`. Source: kubernetes v1.34
 * `pkg/apis/events/v1/conversion.go`.
 */
import type { Event } from './core.ts';
import type { ApiObject } from './meta.ts';

/** An Event of `events.k8s.io/v1`. */
export interface EventsV1Event extends ApiObject {
  readonly [field: string]: unknown;
}

const NAMES = [
  ['involvedObject', 'regarding'],
  ['message', 'note'],
  ['source', 'deprecatedSource'],
  ['firstTimestamp', 'deprecatedFirstTimestamp'],
  ['lastTimestamp', 'deprecatedLastTimestamp'],
  ['count', 'deprecatedCount'],
  ['reportingComponent', 'reportingController'],
] as const;

const TO_EVENTS_V1: ReadonlyMap<string, string> = new Map(NAMES);
const TO_CORE: ReadonlyMap<string, string> = new Map(NAMES.map(([core, other]) => [other, core]));

const renamed = (object: object, names: ReadonlyMap<string, string>): Readonly<Record<string, unknown>> =>
  Object.fromEntries(Object.entries(object).map(([field, value]) => [names.get(field) ?? field, value]));

// `v1` prints these even when they are empty; `events.k8s.io/v1` does not.
const HIDDEN_IF_EMPTY: readonly string[] = ['reportingController', 'reportingInstance'];

/** Converts a stored Event to `events.k8s.io/v1`. */
export const toEventsV1 = (event: ApiObject): EventsV1Event => {
  const fields = Object.entries(renamed(event, TO_EVENTS_V1)).filter(
    ([field, value]) => value !== '' || !HIDDEN_IF_EMPTY.includes(field),
  );
  return { ...(Object.fromEntries(fields) as unknown as ApiObject), apiVersion: 'events.k8s.io/v1' };
};

/** Converts an Event of `events.k8s.io/v1` to the stored form. */
export const toCoreEvent = (event: ApiObject): Event => ({
  reportingComponent: '',
  reportingInstance: '',
  ...(renamed(event, TO_CORE) as unknown as Event),
  apiVersion: 'v1',
});
