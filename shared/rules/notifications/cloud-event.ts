/** Events as CloudEvents 1.0. */
import { type EpochMs, toTime } from '../../kube/values/time.ts';
import type { EventType } from '../../settings/events/event-types.ts';
import { type GroupedEvents, subjectOf } from './bundle.ts';
import type { LifecycleEvent } from './lifecycle-event.ts';
import { noticeIdOf } from './notice.ts';

/** An event in the structured mode of CloudEvents. Source: CloudEvents 1.0.2, JSON format. */
export interface CloudEvent {
  readonly specversion: '1.0';
  readonly id: string;
  readonly source: string;
  readonly type: string;
  readonly subject?: string;
  readonly time: string;
  readonly datacontenttype: 'application/json';
  readonly dataschema: string;
  readonly data: Readonly<Record<string, unknown>>;
}

/** The `$id` of the schema of a type. */
export const dataSchemaOf = (type: EventType): string => `https://rollcall.dev/events/${type}.schema.json`;

/** With the number of further events in its id: one that stands for more events is not a repetition of the same. */
const idOf = (event: LifecycleEvent, grouped: readonly GroupedEvents[]): string => {
  const more = grouped.reduce((sum, { count }) => sum + count, 0);
  return `${noticeIdOf(event)}${more === 0 ? '' : `/+${more}`}`;
};

/** The CloudEvent of an event that was stored at `storedAt` (ms), with the further events that it stands for. `cluster`: the id of the cluster. */
export const cloudEventOf = (
  event: LifecycleEvent,
  grouped: readonly GroupedEvents[],
  cluster: string,
  storedAt: EpochMs,
): CloudEvent => ({
  specversion: '1.0',
  id: idOf(event, grouped),
  source: `urn:rollcall:${encodeURIComponent(cluster)}`,
  type: `dev.rollcall.${event.detailType}`,
  ...(event.detailType === 'NotificationsDropped' ? {} : { subject: subjectOf(event) }),
  time: event.detail.time ?? toTime(storedAt),
  datacontenttype: 'application/json',
  dataschema: dataSchemaOf(event.detailType),
  data: grouped.length === 0 ? event.detail : { ...event.detail, grouped },
});
