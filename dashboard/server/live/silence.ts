/** What a silence, of the source or of all Leases, means for what is known of machines. */
import type { EpochMs } from '../../../shared/kube/values/time.ts';

/** A time without an answer. */
export interface Silence {
  readonly from: EpochMs;
  readonly to: EpochMs;
}

/**
 * The part of a grace period for which a silence of all Leases is believed. A watch on a connection that is dead looks like a fleet that is silent, so before a
 * node is shown as late on a longer silence than this, Leases are read again.
 */
const BELIEVED_SHARE = 1 / 8;

/** At the ends of a silence (ms), clocks and answers under way do not say on which side of it a beat was. */
const BLUR_MS = 2_000;

/**
 * Beats before this instant (ms) do not show that a machine is silent; 0: all do. If no machine at all was heard while the source was silent, it is not known
 * whether machines were silent, or the control plane could hear none: a display waits for the next beats, and accuses no node.
 */
export const deafUntil = (beats: Iterable<EpochMs>, silence: Silence | undefined): EpochMs => {
  if (!silence) return 0;
  const [from, to] = [silence.from + BLUR_MS, silence.to - BLUR_MS];
  for (const at of beats) if (at > from && at < to) return 0;
  return to;
};

/** What is known of the source of the beats. */
export interface Hearing {
  /** The last instant at which what is known was true, ms. */
  readonly asOf: () => EpochMs;
  /** The silence of the source that ended last. */
  readonly silence: () => Silence | undefined;
}

/** Keeps what is heard of Leases: when any of them came last, and which beats show nothing. */
export const createLeaseHearing = ({ asOf, silence }: Hearing) => {
  let heardAfter = 0;
  let heardAt: EpochMs = 0;
  let judged: Silence | undefined;
  return {
    /** A Lease has come. */
    heard: (): void => {
      heardAt = asOf();
    },
    /** A list of all Leases is complete. `beats`: the last beats (ms) in it. */
    whole: (beats: Iterable<EpochMs>): void => {
      heardAt = asOf();
      const last = silence();
      // Each silence is judged once, by the first list after it: later beats say nothing of it.
      if (!last || last === judged) return;
      judged = last;
      heardAfter = Math.max(heardAfter, deafUntil(beats, last));
    },
    /** Whether a beat at this instant (ms) shows anything of its machine. */
    shows: (beatAt: EpochMs): boolean => beatAt >= heardAfter,
    /** Up to when (ms) last beats are known at `now`, for a node with a grace period of `graceMs`. */
    knownUntil: (graceMs: number, now: EpochMs): EpochMs => Math.min(now, heardAt + BELIEVED_SHARE * graceMs),
  };
};
