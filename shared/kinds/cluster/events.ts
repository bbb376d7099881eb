import { defaultEvent, defaultEventsV1 } from '../../kube/defaults/event.ts';
import type { FieldError } from '../../kube/errors/field-error.ts';
import { invalidObject } from '../../kube/errors/field-error.ts';
import { kindSchema } from '../../kube/schema/schema-of.ts';
import type { Event } from '../../kube/types/core.ts';
import type { EventsV1Event } from '../../kube/types/event-versions.ts';
import { toCoreEvent } from '../../kube/types/event-versions.ts';
import type { Strategy } from '../contract/strategy.ts';
import {
  validateEvent,
  validateEventUpdate,
  validateNewEvent,
  validateNewEventUpdate,
} from './validate-event.ts';

const INVOLVED = ['kind', 'namespace', 'name', 'uid', 'apiVersion', 'resourceVersion', 'fieldPath'] as const;

const involved = ({ involvedObject }: Event, prefix: string): Readonly<Record<string, string>> =>
  Object.fromEntries(INVOLVED.map((part) => [`${prefix}.${part}`, involvedObject[part] ?? '']));

const fieldsOf = (event: Event): Readonly<Record<string, string>> => ({
  ...involved(event, 'involvedObject'),
  reason: event.reason ?? '',
  reportingComponent: event.reportingComponent ?? '',
  source: event.source?.component || (event.reportingComponent ?? ''),
  type: event.type ?? '',
});

/** How core/v1 Events behave: they are kept for an hour after their last change. */
export const eventStrategy: Strategy<Event> = {
  kind: { group: '', version: 'v1', kind: 'Event', resource: 'events', namespaced: true },
  schema: kindSchema('core.v1.Event'),
  defaults: defaultEvent,
  forCreate: (event) => event,
  forUpdate: (after) => after,
  validate: validateEvent,
  validateUpdate: validateEventUpdate,
  admit: ({ object }) => object,
  fields: fieldsOf,
  createsOnUpdate: true,
  isOwner: false,
  retentionMs: ({ eventRetentionMs }) => eventRetentionMs,
};

// Kubernetes names the kind without its group here.
const checked = ({ metadata }: EventsV1Event, faults: readonly FieldError[]): readonly FieldError[] => {
  if (faults.length > 0) throw invalidObject({ kind: 'Event' }, metadata.name, faults);
  return faults;
};

const newFieldsOf = (event: EventsV1Event): Readonly<Record<string, string>> => {
  const core = toCoreEvent(event);
  return {
    ...involved(core, 'regarding'),
    reason: core.reason ?? '',
    reportingController: core.reportingComponent ?? '',
    type: core.type ?? '',
  };
};

/**
 * How `events.k8s.io/v1` Events behave, with their stricter validation. The store must present Events in this
 * version (`event-view.ts`).
 */
export const eventsV1Strategy: Strategy<EventsV1Event> = {
  kind: { group: 'events.k8s.io', version: 'v1', kind: 'Event', resource: 'events', namespaced: true },
  schema: kindSchema('events.v1.Event'),
  defaults: defaultEventsV1,
  forCreate: (event) => event,
  forUpdate: (after) => after,
  validate: (event) => checked(event, validateNewEvent(toCoreEvent(event))),
  validateUpdate: (after, before) =>
    checked(after, validateNewEventUpdate(toCoreEvent(after), toCoreEvent(before))),
  admit: ({ object }) => object,
  fields: newFieldsOf,
  createsOnUpdate: true,
  retentionMs: ({ eventRetentionMs }) => eventRetentionMs,
};
