import type { EpochMs } from '../../kube/values/time.ts';

/** The last pass of the node monitor that came to its end. */
export interface LastPass {
  /** When it began (ms), or until when none was needed after it. */
  readonly at: EpochMs;
  /** Nodes that it read. */
  readonly nodes: number;
}

/** What was looked up because the last pass does not answer it. */
export interface Fleet {
  /** When the oldest node was created (ms); `undefined`: there is none. */
  readonly oldestNode: EpochMs | undefined;
}

/** From here on (ms) a pass is late, and the alarm counts. */
export const LATE_MS = 60_000;

/**
 * How long (ms) no pass has come to its end; 0 without nodes, whose passes no operator misses. `undefined`: that depends on whether there are nodes, so give the
 * `fleet`. Before the first pass it counts from the oldest node. An instant ahead of the clock was stored by a clock that was wrong, and says
 * nothing about how long ago it was: its distance counts, so that it hides a dead monitor for a minute at most. G-19.
 */
export const lagOf = (last: LastPass | undefined, now: EpochMs, fleet?: Fleet): number | undefined => {
  const passed = last && Math.abs(now - last.at);
  if (last && last.nodes > 0 && passed !== undefined && passed < LATE_MS) return passed;
  if (!fleet) return undefined;
  if (fleet.oldestNode === undefined) return 0;
  return Math.abs(now - Math.max(last?.at ?? 0, fleet.oldestNode));
};
