/** Time at the end of a shutdown for what the API is told last. */
import { type GraceEntry, requestedSeconds } from './priority-groups.ts';

const PART = 1 / 10;
const LEAST_SECONDS = 1;

/**
 * The entries with shorter periods, in whole seconds: a tenth of all the time, and at least a second, is left after the last group. A period that
 * is not zero keeps a second.
 */
export const withReportTime = (entries: readonly GraceEntry[]): readonly GraceEntry[] => {
  const total = requestedSeconds(entries);
  const left = Math.max(0, total - Math.max(LEAST_SECONDS, total * PART));
  return entries.map((entry) => {
    const { shutdownGracePeriodSeconds: seconds } = entry;
    const shorter = total === 0 ? 0 : Math.floor((seconds * left) / total);
    return { ...entry, shutdownGracePeriodSeconds: Math.max(Math.min(1, seconds), shorter) };
  });
};
