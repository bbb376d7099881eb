/** The one style in which the roll call writes times and rates, on pages and on terminals. */
import type { EpochMs } from '../../kube/values/time.ts';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

const twoDigits = (count: number): string => String(count).padStart(2, '0');

/** Minutes and seconds, hours and minutes, or days, of at least a minute (ms). */
const longText = (ms: number): string => {
  if (ms < 100 * MINUTE)
    return `${Math.floor(ms / MINUTE)}m${twoDigits(Math.floor((ms % MINUTE) / SECOND))}s`;
  if (ms < 100 * HOUR) return `${Math.floor(ms / HOUR)}h${twoDigits(Math.floor((ms % HOUR) / MINUTE))}m`;
  return `${Math.floor(ms / (24 * HOUR))}d`;
};

/** A time that has passed (ms), to a tenth of a second while that matters: `4.2s`, `4m05s`, `3h20m`, `12d`; `never` for `undefined`. */
export const ageText = (ms: number | undefined): string => {
  if (ms === undefined) return 'never';
  return ms < 99_950 ? `${(Math.max(ms, 0) / SECOND).toFixed(1)}s` : longText(ms);
};

/** A duration that somebody has set (ms), without a tenth that is zero: `40s`, `2.5s`, `5m00s`. */
export const spanText = (ms: number): string =>
  ms < 100 * SECOND ? `${Number((ms / SECOND).toFixed(1))}s` : longText(ms);

/** How far an instant is ahead, in whole seconds: `in 24s`; `now` if it has come. It is rounded up, so that 0 s are never left. */
export const untilText = (at: EpochMs, now: EpochMs): string => {
  const seconds = Math.ceil((at - now) / SECOND);
  if (seconds <= 0) return 'now';
  return `in ${seconds < 100 ? `${seconds}s` : longText(seconds * SECOND)}`;
};

/** A number per second with three digits that count: `0.1/s`. */
export const rateText = (perSecond: number): string => `${Number(perSecond.toPrecision(3))}/s`;

/** Local time of day: `15:04:05`. */
export const timeOfDay = (at: EpochMs): string => new Date(at).toTimeString().slice(0, 8);
