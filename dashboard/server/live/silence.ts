/** What a silence of the source means for what is known of machines. Pure. */
import type { EpochMs } from '../../../shared/kube/values/time.ts';

/** A time without an answer. */
export interface Silence {
  readonly from: EpochMs;
  readonly to: EpochMs;
}

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
