/** Notices that the nodes of a host that has started are still coming back: each token has to be verified once, which takes a large fleet a minute. */
import type { EpochMs } from '../../shared/kube/values/time.ts';
import { isComing } from '../../shared/rules/absences/comeback.ts';

/** What happens in less time (ms) says little. */
const SPAN_MS = 500;

export interface ComebackDeps {
  /** How many nodes that an earlier process has heard have been heard by this one. */
  readonly heardAgain: () => number;
  /** Processor time of this process so far, ms. */
  readonly busyMs: () => number;
}

/** A look at it, at any time: for how long (ms) more nodes were on their way so far, or 0 if they were not since the last look. */
export const createComeback = ({ heardAgain, busyMs }: ComebackDeps, startedAt: EpochMs) => {
  const seenAt = (at: EpochMs) => ({ at, busy: busyMs(), heard: heardAgain() });
  let last = seenAt(startedAt);
  let comingForMs = 0;
  return (now: EpochMs): number => {
    const spanMs = now - last.at;
    if (Math.abs(spanMs) < SPAN_MS) return 0;
    const [before, seen] = [last, seenAt(now)];
    last = seen;
    const span = { spanMs, busyMs: seen.busy - before.busy, heard: seen.heard - before.heard };
    if (spanMs < 0 || !isComing(span)) return 0;
    comingForMs += spanMs;
    return comingForMs;
  };
};
