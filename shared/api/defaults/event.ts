import type { Event } from '../core.ts';
import type { EventsV1Event } from '../event-versions.ts';

/** An Event with the fields that the API always shows. */
export const defaultEvent = (event: Event): Event => ({
  ...EMPTY,
  ...event,
});

const EMPTY = {
  involvedObject: {},
  source: {},
  firstTimestamp: null,
  lastTimestamp: null,
  eventTime: null,
  reportingComponent: '',
  reportingInstance: '',
} as const;

const EMPTY_EVENTS_V1 = {
  eventTime: null,
  regarding: {},
  deprecatedSource: {},
  deprecatedFirstTimestamp: null,
  deprecatedLastTimestamp: null,
} as const;

/** The same for `events.k8s.io/v1`. */
export const defaultEventsV1 = (event: EventsV1Event): EventsV1Event => ({ ...EMPTY_EVENTS_V1, ...event });
