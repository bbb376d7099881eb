import type { Absence } from '../../../../shared/rules/absences/absence.ts';

/** Durations in ms. */
export const GRACE = 40_000;
export const SECOND = 1_000;
export const T0 = 1_000_000_000;
/** An absence, in seconds since T0. */
export const away = (
  gone: number,
  back: number,
  more: { lost?: number; isWork?: boolean } = {},
): Absence => ({
  goneAt: T0 + gone * SECOND,
  backAt: T0 + back * SECOND,
  ...(more.lost !== undefined && { lostAt: T0 + more.lost * SECOND }),
  ...(more.isWork && { isWork: true }),
});
