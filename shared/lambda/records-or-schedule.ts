import type { ScheduleEvent } from './compose-schedule.ts';

type Handler<Event, Context> = (event: Event, context: Context) => Promise<unknown>;

/** One function behind a queue or stream and a rule: an event with records goes to the first handler, others to the second. */
export const recordsOrSchedule =
  <Event extends { readonly Records: readonly unknown[] }, Context>(
    onRecords: Handler<Event, Context>,
    onSchedule: Handler<ScheduleEvent, Context>,
  ) =>
  (event: Event | ScheduleEvent, context: Context): Promise<unknown> =>
    'Records' in event ? onRecords(event, context) : onSchedule(event, context);
