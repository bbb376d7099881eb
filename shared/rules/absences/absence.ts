/** Times in which no beat could be stored. */

import { optional } from '../../kube/values/optional.ts';
import type { EpochMs } from '../../kube/values/time.ts';
import { UNNOTICED_SHARE } from '../../settings/sign-of-life.ts';
import { isBusy } from './comeback.ts';

/** A time in which no beat could be stored. All instants are ms of our clock. */
export interface Absence {
  readonly goneAt: EpochMs;
  /** The same as `goneAt`: the clock was set. */
  readonly backAt: EpochMs;
  /** Beats that were answered before this instant may be missing in the store. */
  readonly lostAt?: EpochMs;
  /** The process was busy, not stopped: beats waited in its sockets. */
  readonly isWork?: boolean;
}

/** Absences that are kept. Further ones are joined, so that a stored list stays small. */
const MOST_ABSENCES = 64;
const KEPT_MS = 24 * 3_600_000;

/** A running process that looked at the clock within this time (ms) was not away. */
export const unnoticedMs = (graceMs: number): number => graceMs * UNNOTICED_SHARE;

/**
 * The time from `lastSeen` to `now` (ms) as an absence; `undefined`: it is none. `work`: the processor time of the running process in it;
 * absent: there was another process before, or nothing could be stored.
 */
export const gapOf = (
  lastSeen: EpochMs,
  now: EpochMs,
  work: { readonly busyMs: number } | undefined,
  graceMs: number,
): Absence | undefined => {
  const gapMs = now - lastSeen;
  if (gapMs <= (work ? unnoticedMs(graceMs) : 0)) return undefined;
  const isWork = work !== undefined && isBusy(gapMs, work.busyMs);
  return { goneAt: lastSeen, backAt: now, ...optional('isWork', isWork || undefined) };
};

const joined = (earlier: Absence, later: Absence): Absence => {
  const lostAt = Math.max(earlier.lostAt ?? 0, later.lostAt ?? 0);
  return {
    goneAt: Math.min(earlier.goneAt, later.goneAt),
    backAt: Math.max(earlier.backAt, later.backAt),
    ...optional('lostAt', lostAt || undefined),
    ...optional('isWork', (earlier.isWork && later.isWork) || undefined),
  };
};

/** Joins the two absences between which the host was there for the shortest time: it then counts as away for a little longer. */
const shortened = (absences: readonly Absence[]): readonly Absence[] => {
  if (absences.length <= MOST_ABSENCES) return absences;
  const between = absences.slice(1).map(({ goneAt }, index) => goneAt - (absences[index]?.backAt ?? 0));
  const place = between.indexOf(Math.min(...between));
  const [first, second] = absences.slice(place, place + 2);
  return first && second ? absences.toSpliced(place, 2, joined(first, second)) : absences;
};

/** The list with one more absence, which did not end before the others. Those that overlap it are joined to it. */
export const withAbsence = (absences: readonly Absence[], next: Absence): readonly Absence[] => {
  const apart = absences.filter(({ backAt }) => backAt <= next.goneAt);
  const list = [...apart, absences.slice(apart.length).reduce((all, one) => joined(one, all), next)];
  return shortened(list.filter(({ backAt }) => backAt > next.backAt - KEPT_MS));
};

/** The same absences after the clock was set by `byMs`. */
export const movedAbsences = (absences: readonly Absence[], byMs: number): readonly Absence[] =>
  absences.map(({ goneAt, backAt, lostAt, ...rest }) => ({
    ...rest,
    goneAt: goneAt + byMs,
    backAt: backAt + byMs,
    ...optional('lostAt', lostAt === undefined ? undefined : lostAt + byMs),
  }));

/** When the host was last back, ms; 0: it was never away. */
export const lastReturn = (absences: readonly Absence[]): EpochMs => absences.at(-1)?.backAt ?? 0;

/** Milliseconds since `since` in which the host was away. */
export const awaySince = (since: EpochMs, absences: readonly Absence[]): number => {
  let awayMs = 0;
  for (let place = absences.length - 1; place >= 0; place -= 1) {
    const { goneAt, backAt } = absences[place] as Absence;
    if (backAt <= since) break;
    awayMs += backAt - Math.max(goneAt, since);
  }
  return awayMs;
};
