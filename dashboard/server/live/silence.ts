/** What a silence of the source means for what is known of machines. Pure. */
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

/** Up to when (ms) last beats are known, if any Lease was heard at `heardAt` last, for a node with a grace period of `graceMs`. */
export const beatsKnownUntil = (heardAt: EpochMs, graceMs: number): EpochMs =>
  heardAt + BELIEVED_SHARE * graceMs;

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
