import type { EpochMs } from '../../api/time.ts';

/** Share of the grace period for which nobody need have listened: living nodes beat four times in it. */
const NOTICED_SHARE = 0.25;
/** A process that used this share of a gap as processor time was at work in it, and not away. */
const BUSY_SHARE = 0.5;
/** Difference (ms) between two measures of one time from which the clock was set in it. */
const STEP_MS = 1_000;

/** A time in which no beat could be stored. */
export interface Gap {
  readonly gapMs: number;
  /** Processor time that the process used in it, ms. */
  readonly busyMs: number;
}

/**
 * Milliseconds that every node gets, from the end of the gap on, to be heard: none after a short one, the gap's own length
 * where the process was at work (beats waited in its sockets), and the whole grace period where it was away.
 */
export const excuseAfter = ({ gapMs, busyMs }: Gap, graceMs: number): number => {
  if (gapMs <= graceMs * NOTICED_SHARE) return 0;
  return busyMs >= gapMs * BUSY_SHARE ? Math.min(gapMs, graceMs) : graceMs;
};

/**
 * Milliseconds after a return in which a node that came back meanwhile has said so: its next beat, and the pass that takes its
 * taint off. Until then no pod leaves a node because the node is not-ready or unreachable.
 */
export const answerMs = (graceMs: number, periodMs: number): number => graceMs * NOTICED_SHARE + periodMs;

/** A sign of life by the clock, and by the time since the machine started where that is known. */
export interface SignOfLife {
  readonly at: EpochMs;
  readonly uptimeMs?: number;
  readonly bootId?: string;
}

/**
 * Milliseconds by which the clock was set between two signs of life, 0 if it was not. Within one run of the machine the time
 * since its start tells exactly; over a restart of the machine only a clock that is behind the earlier sign tells, and by how
 * much at least: one that is ahead cannot be told from an absence.
 */
export const stepBetween = (earlier: SignOfLife, later: SignOfLife): number => {
  const isSameBoot = earlier.bootId !== undefined && earlier.bootId === later.bootId;
  const byClockMs = later.at - earlier.at;
  const elapsedMs =
    isSameBoot && earlier.uptimeMs !== undefined && later.uptimeMs !== undefined
      ? later.uptimeMs - earlier.uptimeMs
      : Math.max(0, byClockMs);
  const stepMs = byClockMs - elapsedMs;
  return Math.abs(stepMs) >= STEP_MS ? stepMs : 0;
};
