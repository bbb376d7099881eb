import type { Schedule } from '../controller.ts';

/** A process resyncs first of all: changes of a time without controllers were forgotten. */
export const RESYNC_SCHEDULE: Schedule = { everyMinutes: 60, firstAfterSeconds: 0 };
