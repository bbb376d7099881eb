import type { EpochMs } from '../../kube/values/time.ts';

/** A gap up to this share of the grace period needs no excuse: a living node beats four times in a grace period. */
const NOTICED_SHARE = 0.25;
/** A process that used at least this share of a gap as processor time was busy, not suspended. */
const BUSY_SHARE = 0.5;
/** Nodes a second that are heard for the first time: fewer cannot be what keeps a process busy. */
const COMING_RATE = 100;
/** If two measurements of one time span differ by this much (ms), the clock was set in between. */
const STEP_MS = 1_000;

/** A span of time in which no beat could be stored. */
export interface Gap {
  readonly gapMs: number;
  /** Processor time that the process used in it, ms. */
  readonly busyMs: number;
}

/** Milliseconds in which each living node beats. While nodes are coming back, the silence of others does not count for so long. */
export const comingMs = (graceMs: number): number => graceMs * NOTICED_SHARE;

/**
 * Milliseconds after the gap during which no node counts as silent: 0 after a short gap, the gap's length if the process was
 * busy (beats waited in its sockets), and the whole grace period if the process was stopped or suspended.
 */
export const excuseAfter = ({ gapMs, busyMs }: Gap, graceMs: number): number => {
  if (gapMs <= comingMs(graceMs)) return 0;
  return busyMs >= gapMs * BUSY_SHARE ? Math.min(gapMs, graceMs) : graceMs;
};

/**
 * Milliseconds after the end of a gap in which a healthy node sends its next beat and a pass removes its taint. Until then no pod
 * is evicted because its node is not-ready or unreachable.
 */
export const answerMs = (graceMs: number, periodMs: number): number => comingMs(graceMs) + periodMs;

/** A span of time in which a process that has started hears its nodes. */
export interface Comeback {
  readonly spanMs: number;
  /** Processor time that the process used in it, ms. */
  readonly busyMs: number;
  /** Nodes that an earlier process has heard, and this one heard in it for the first time. */
  readonly heard: number;
}

/** Whether the beats of more nodes wait, because those that came were as many as the process could verify. */
export const isComing = ({ spanMs, busyMs, heard }: Comeback): boolean =>
  heard > 0 && busyMs >= spanMs * BUSY_SHARE && heard * 1_000 >= spanMs * COMING_RATE;

/** When the process was last known alive: by the clock, and by the time since boot if that is known. */
export interface SignOfLife {
  readonly at: EpochMs;
  readonly uptimeMs?: number;
  readonly bootId?: string;
}

/**
 * Milliseconds by which the clock was set between two signs of life, 0 if it was not. Without a reboot in between, the time since
 * boot gives the exact amount. After a reboot only a clock behind the earlier sign shows a change, and only its minimum; a clock
 * that is ahead cannot be distinguished from downtime.
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
