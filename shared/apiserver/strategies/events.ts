import type { Event } from '../../api/core.ts';
import { defaultEvent } from '../../api/defaults/event.ts';
import { kindSchema } from '../../api/schema/schema-of.ts';
import { validateEvent, validateEventUpdate } from '../../api/validation/event.ts';
import type { Strategy } from '../strategy.ts';

const INVOLVED = ['kind', 'namespace', 'name', 'uid', 'apiVersion', 'resourceVersion', 'fieldPath'] as const;

const fieldsOf = (event: Event): Readonly<Record<string, string>> => ({
  ...Object.fromEntries(INVOLVED.map((part) => [`involvedObject.${part}`, event.involvedObject[part] ?? ''])),
  reason: event.reason ?? '',
  reportingComponent: (event as { readonly reportingComponent?: string }).reportingComponent ?? '',
  source: event.source?.component ?? '',
  type: event.type ?? '',
});

/** Core Events: kept for an hour after their last change. */
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
