/** Formats durations as kubectl does. Source: apimachinery v1.34 `util/duration`. */
import { type EpochMs, parseTime } from '../values/time.ts';

const MINUTE = 60;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const YEAR = 365 * DAY;

interface Step {
  /** Seconds. The first step whose `below` exceeds the duration applies. */
  readonly below: number;
  readonly unit: number;
  readonly letter: string;
  /** A smaller unit, printed after the first one unless its count is zero. */
  readonly rest?: { readonly unit: number; readonly letter: string };
}

const STEPS: readonly Step[] = [
  { below: 2 * MINUTE, unit: 1, letter: 's' },
  { below: 10 * MINUTE, unit: MINUTE, letter: 'm', rest: { unit: 1, letter: 's' } },
  { below: 3 * HOUR, unit: MINUTE, letter: 'm' },
  { below: 8 * HOUR, unit: HOUR, letter: 'h', rest: { unit: MINUTE, letter: 'm' } },
  { below: 48 * HOUR, unit: HOUR, letter: 'h' },
  { below: 8 * DAY, unit: DAY, letter: 'd', rest: { unit: HOUR, letter: 'h' } },
  { below: 2 * YEAR, unit: DAY, letter: 'd' },
  { below: 8 * YEAR, unit: YEAR, letter: 'y', rest: { unit: DAY, letter: 'd' } },
  { below: Number.POSITIVE_INFINITY, unit: YEAR, letter: 'y' },
];

const printed = (seconds: number, { unit, letter, rest }: Step): string => {
  const small = rest ? Math.floor((seconds % unit) / rest.unit) : 0;
  return `${Math.floor(seconds / unit)}${letter}${rest && small > 0 ? `${small}${rest.letter}` : ''}`;
};

/**
 * Formats milliseconds in at most two parts: `47s`, `5m30s`, `3h`, `2y10d`. -2 s and less gives `<invalid>`, 0 or
 * slightly less `0s`.
 */
export const humanDuration = (ms: number): string => {
  const seconds = Math.trunc(ms / 1000);
  if (seconds < -1) return '<invalid>';
  const step = STEPS.find(({ below }) => seconds < below);
  return step ? printed(Math.max(seconds, 0), step) : '';
};

/** Formats the time since an RFC 3339 instant; `<unknown>` if there is none. */
export const ageOf = (time: string | null | undefined, now: EpochMs): string => {
  const at = time ? parseTime(time) : undefined;
  return at === undefined ? '<unknown>' : humanDuration(now - at);
};
