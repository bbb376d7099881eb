/** Asks clients whether they are still there. */

/** How often (ms). */
const ASK_MS = 30_000;

/**
 * Returns what ends it. A connection that is not read is not heard to end either: only what is written to it fails. One that is read is not
 * asked: its end is heard, and bytes of ours would keep it from being idle.
 */
export const askWhileUnread = (isUnread: () => boolean, ask: () => void): (() => void) => {
  const timer = setInterval(() => {
    if (isUnread()) ask();
  }, ASK_MS);
  timer.unref();
  return () => clearInterval(timer);
};
