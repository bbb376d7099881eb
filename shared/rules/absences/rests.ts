/** What rests after absences, so that nodes have time to answer. */
import type { EpochMs } from '../../kube/values/time.ts';
import type { Absence } from './absence.ts';
import { comingMs } from './comeback.ts';
import { beatsDueMs } from './silence.ts';

/**
 * Milliseconds after the end of a gap in which a healthy node sends its next beat and a pass removes its taint. Until then no pod
 * is evicted because its node is not-ready or unreachable.
 */
export const answerMs = (graceMs: number, periodMs: number): number => comingMs(graceMs) + periodMs;

/** Whether nodes need time after it: it was long, or they had not had their time after the one before. */
const needsTime = ({ goneAt, backAt }: Absence, until: EpochMs, graceMs: number): boolean =>
  backAt - goneAt > comingMs(graceMs) || (backAt > goneAt && goneAt < until);

/** No node gets a NoExecute taint before this instant, ms; 0: taints do not rest. */
export const quietAfter = (absences: readonly Absence[], graceMs: number): EpochMs => {
  const dueMs = beatsDueMs(comingMs(graceMs), graceMs);
  return absences.reduce((until, absence) => {
    if (!needsTime(absence, until, graceMs)) return until;
    const { goneAt, backAt, isWork = false } = absence;
    return Math.max(until, backAt + (isWork ? Math.min(backAt - goneAt, dueMs) : dueMs));
  }, 0);
};

/** No pod leaves a node because that is not-ready or unreachable before this instant, ms; 0: they do not rest. */
export const deletionsRestAfter = (
  absences: readonly Absence[],
  graceMs: number,
  periodMs: number,
): EpochMs =>
  absences
    .filter(({ isWork = false }) => !isWork)
    .reduce(
      (until, absence) =>
        needsTime(absence, until, graceMs) ? absence.backAt + answerMs(graceMs, periodMs) : until,
      0,
    );
