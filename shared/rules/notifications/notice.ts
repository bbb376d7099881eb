/** An event as it waits for a sink. */
import type { EpochMs } from '../../kube/values/time.ts';
import { bundleOf, subjectOf, type WaitingEvent } from './bundle.ts';
import type { LifecycleEvent } from './lifecycle-event.ts';

/** An event to store for a sink. `id` is the same for each repetition. */
export interface NewNotice extends Omit<WaitingEvent, 'position'> {
  readonly id: string;
  readonly event: LifecycleEvent;
}

/** The id of an event among those of all types. */
export const noticeIdOf = ({ detailType, detail }: LifecycleEvent): string => `${detail.id}/${detailType}`;

/** What is stored of an event at `storedAt` (ms). All else follows from the event. */
export const noticeOf = (event: LifecycleEvent, storedAt: EpochMs): NewNotice => ({
  id: noticeIdOf(event),
  event,
  storedAt,
  type: event.detailType,
  severity: event.detail.severity,
  subject: subjectOf(event),
  bundle: bundleOf(event),
});
