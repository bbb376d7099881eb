/** Stored instants that lie ahead of the clock that reads them: one of two functions' clocks was wrong, and nobody knows which. */
import type { EpochMs } from '../../kube/values/time.ts';

/** Clocks of two functions differ by less than this (ms). */
export const CLOCK_SKEW_MS = 1_000;

/** Whether `at` lies further ahead of `now` than the clocks of two functions can differ. */
export const isAhead = (at: EpochMs | undefined, now: EpochMs): at is EpochMs =>
  at !== undefined && at > now + CLOCK_SKEW_MS;

const SOURCES = ['observedAt', 'leaseAt', 'statusAt', 'plainAt', 'relayAt'] as const;

/** The instants of a heartbeat item, ms. */
export type BeatInstants = Readonly<
  Partial<Record<(typeof SOURCES)[number] | 'aheadAt' | 'expiresAt', EpochMs>>
>;

/** The latest of the beats that are ahead of `now`; `undefined`: none is. */
export const furthestAhead = (beats: BeatInstants, now: EpochMs): EpochMs | undefined => {
  let furthest: EpochMs | undefined;
  for (const source of SOURCES) {
    const at = beats[source];
    if (isAhead(at, now) && at > (furthest ?? now)) furthest = at;
  }
  return furthest;
};

/** The item expires as long after `now` as it did after its newest beat, if it still was to expire after that beat. */
const expiryAfter = ({ observedAt, expiresAt }: BeatInstants, now: EpochMs): BeatInstants =>
  isAhead(observedAt, now) && expiresAt !== undefined && expiresAt > observedAt
    ? { expiresAt: now + expiresAt - observedAt }
    : {};

/**
 * What to store instead of beats that are ahead of `now`: `now`, so that silence counts from there. `aheadAt` keeps the latest of
 * them, because it may be the clock of `now` that is wrong. `undefined`: none is ahead.
 */
export const takeBackBeats = (beats: BeatInstants, now: EpochMs): BeatInstants | undefined => {
  const aheadAt = furthestAhead(beats, now);
  if (aheadAt === undefined) return undefined;
  const moved = SOURCES.filter((source) => isAhead(beats[source], now));
  const { observedAt = now } = beats;
  return {
    ...Object.fromEntries(moved.map((source) => [source, now])),
    observedAt: isAhead(observedAt, now) ? now : Math.max(observedAt, now),
    aheadAt,
    ...expiryAfter(beats, now),
  };
};

/**
 * The clock floor that counts at `now`: a stored one that is ahead counts as `now`, and one that was taken back (`aheadFloor`) counts
 * again for a clock that has reached it.
 */
export const floorAt = (
  { clockFloor, aheadFloor = 0 }: { readonly clockFloor: EpochMs; readonly aheadFloor?: EpochMs },
  now: EpochMs,
): EpochMs => {
  if (isAhead(clockFloor, now)) return now;
  return isAhead(aheadFloor, now) ? clockFloor : Math.max(clockFloor, aheadFloor);
};
