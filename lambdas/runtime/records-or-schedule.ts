import type { ScheduleEvent } from './compose-schedule.ts';

type Handler<Event, Context> = (event: Event, context: Context) => Promise<unknown>;

/**
 * Combines two handlers: events with records, from a queue or stream, go to the first, events of a rule to the second.
 */
export const recordsOrSchedule =
  <Event extends { readonly Records: readonly unknown[] }, Context>(
    onRecords: Handler<Event, Context>,
    onSchedule: Handler<ScheduleEvent, Context>,
  ) =>
  (event: Event | ScheduleEvent, context: Context): Promise<unknown> =>
    'Records' in event ? onRecords(event, context) : onSchedule(event, context);
