import type { Event } from '../types/core.ts';
import type { EventsV1Event } from '../types/event-versions.ts';

/** Adds the fields that the API shows in every `v1` Event, with empty values. */
export const defaultEvent = (event: Event): Event => ({
  ...EMPTY_EVENT,
  ...event,
});

/** The fields that Go prints for a `v1` Event with only metadata. */
export const EMPTY_EVENT = {
  involvedObject: {},
  source: {},
  firstTimestamp: null,
  lastTimestamp: null,
  eventTime: null,
  reportingComponent: '',
  reportingInstance: '',
} as const;

/** The fields that Go prints for an Event of `events.k8s.io/v1` with only metadata. */
export const EMPTY_EVENTS_V1 = {
  eventTime: null,
  regarding: {},
  deprecatedSource: {},
  deprecatedFirstTimestamp: null,
  deprecatedLastTimestamp: null,
} as const;

/** Adds the fields that the API shows in every Event of `events.k8s.io/v1`, with empty values. */
export const defaultEventsV1 = (event: EventsV1Event): EventsV1Event => ({ ...EMPTY_EVENTS_V1, ...event });
