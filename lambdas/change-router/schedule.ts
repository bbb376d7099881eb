import type { Schedule } from '../contract/controller.ts';

/** A process resyncs as soon as it starts: the change log may no longer have what changed while no controllers ran. */
export const RESYNC_SCHEDULE: Schedule = { everyMinutes: 60, firstAfterSeconds: 0 };
