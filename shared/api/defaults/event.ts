import type { Event } from '../core.ts';

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
