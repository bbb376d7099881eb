import { Cron } from 'croner';
import type { NextStart } from '../../../shared/rules/drain/maintenance-window.ts';

/**
 * The first start of a cron schedule after an instant. A local time that a change of the clocks leaves out is the first instant after it;
 * one that comes twice counts once, the first time.
 */
export const nextStart: NextStart = (schedule, timeZone, after) =>
  new Cron(schedule, { timezone: timeZone, paused: true }).nextRun(new Date(after))?.getTime();
