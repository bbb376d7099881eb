/** The silence that a node has ended between two passes. V-81. */
import type { EpochMs } from '../../kube/values/time.ts';

/** What a pass has seen of a node. */
export interface Look {
  /** Its newest beat that counts (ms). */
  readonly beatAt: EpochMs;
  /** When the pass began (ms). */
  readonly seenAt: EpochMs;
}

/** The part of the time between two beats in which no second one comes. */
const ONE_BEAT_SHARE = 1 / 2;

/** A beat may be late by half of the time between two. */
const RHYTHM_SHARE = 1.5;

/** Whether a silence (ms) is one in which a node that beats each `intervalMs` has missed no beat. */
export const isRhythm = (silentMs: number, intervalMs: number): boolean =>
  silentMs <= intervalMs * RHYTHM_SHARE;

/**
 * For how long (ms) the node was silent until the beats came that a pass finds after `last`, the newest at `beatAt`; 0: none came. If others may have come
 * before it, the silence is known only as far as the last pass has seen it: it never counts as longer than it was.
 */
export const survivedMs = (last: Look, beatAt: EpochMs, intervalMs: number): number => {
  if (beatAt <= last.beatAt) return 0;
  const seenMs = Math.max(0, last.seenAt - last.beatAt);
  const isNext = beatAt - last.seenAt <= intervalMs * ONE_BEAT_SHARE;
  return isNext ? Math.max(seenMs, beatAt - last.beatAt) : seenMs;
};
