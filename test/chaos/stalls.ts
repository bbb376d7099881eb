/** How long this machine stood still: a limit that asserts the speed of a host must not count that. */

/** Milliseconds between two looks at the clock. */
const LOOK_MS = 100;

/** What was lost while this process could not run. */
export interface Stalls {
  /** Milliseconds in all, since the start. */
  lostMs(): number;
  /** The longest one, ms. */
  longestMs(): number;
  stop(): void;
}

/** Starts to look. A stall of this process is taken for one of the machine. */
export const startStalls = (): Stalls => {
  let [last, lost, longest] = [performance.now(), 0, 0];
  const look = (): void => {
    const now = performance.now();
    const stallMs = Math.max(0, now - last - LOOK_MS);
    last = now;
    lost += stallMs;
    longest = Math.max(longest, stallMs);
  };
  const timer = setInterval(look, LOOK_MS);
  return {
    lostMs: () => {
      look();
      return lost;
    },
    longestMs: () => {
      look();
      return longest;
    },
    stop: () => clearInterval(timer),
  };
};
