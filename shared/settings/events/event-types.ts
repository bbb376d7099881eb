/** The types of what Rollcall tells subscribers outside of the control plane, and whether a person is needed. */

/** In rising order. `resolved`: the need of a person has ended. */
export const SEVERITIES = ['info', 'resolved', 'warning', 'critical'] as const;

/** Whether a person is needed. */
export type Severity = (typeof SEVERITIES)[number];

/** All types of events. Each has a schema in docs/events. */
export const EVENT_TYPES = [
  'NodeRegistered',
  'NodeRemoved',
  'NodeReady',
  'NodeNotReady',
  'NodeLost',
  'NodeReturned',
  'NodeShuttingDown',
  'NodeTainted',
  'NodeUntainted',
  'NodeDrained',
  'NodeDrainStuck',
  'PodEvicted',
  'ZoneStateChanged',
  'SitePartitioned',
  'SiteReturned',
  'NotificationsDropped',
] as const;

/** On EventBridge the detail type. */
export type EventType = (typeof EVENT_TYPES)[number];
