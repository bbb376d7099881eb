import type { EpochMs } from '../../kube/values/time.ts';
import type { WatchLimits } from '../feed/watches.ts';

/**
 * Kubernetes ends watches without `timeoutSeconds` after 30 to 60 minutes, so that they do not all reconnect at
 * once.
 */
const SHORTEST_DEFAULT_MS = 30 * 60_000;
/** A buffered watch without events lasts at least this long: clients take a shorter one for a broken connection. */
const SHORTEST_BUFFERED_MS = 1_000;

const wished = (timeoutSeconds: number | undefined, random: number): number =>
  timeoutSeconds === undefined ? SHORTEST_DEFAULT_MS * (1 + random) : Math.max(0, timeoutSeconds * 1000);

/** When a watch that begins now ends (ms). `random`: 0–1. */
export const endOf = (
  now: EpochMs,
  timeoutSeconds: number | undefined,
  { longestMs = Number.POSITIVE_INFINITY, isBuffered }: WatchLimits,
  random: number,
): EpochMs => {
  const longest = timeoutSeconds === undefined ? longestMs * (1 - random / 5) : longestMs;
  const duration = Math.min(wished(timeoutSeconds, random), longest);
  return now + (isBuffered ? Math.max(SHORTEST_BUFFERED_MS, duration) : duration);
};
