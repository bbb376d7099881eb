/** Passes bytes between two connections until both have ended. */
import type { Duplex } from 'node:stream';

/** Milliseconds that the last bytes get to be sent to an end that is slow, after the other end has gone. */
const FLUSH_MS = 10_000;

/** Milliseconds of silence after which a tunnel ends of which one end has sent all: nobody may be left there. */
const HALF_OPEN_MS = 60_000;

/** What limits a tunnel. */
export interface TunnelOptions {
  /** Milliseconds without a byte in either direction after which the tunnel ends. */
  readonly idleMs: number;
  /** Ends the tunnel. */
  readonly signal: AbortSignal;
}

/** Ends `to` when `from` is gone, also by an error, and what came from it before has left. */
const follow = (from: Duplex, to: Duplex): void => {
  const end = (): void => {
    if (to.writableFinished || to.destroyed) {
      to.destroy();
      return;
    }
    const timer = setTimeout(() => to.destroy(), FLUSH_MS);
    timer.unref();
    to.once('close', () => clearTimeout(timer));
    to.end(() => to.destroy());
  };
  // The client may have gone while its node was asked.
  if (from.destroyed) end();
  else from.once('close', end);
};

const closed = (one: Duplex): Promise<void> =>
  new Promise((resolve) => {
    if (one.closed || one.destroyed) resolve();
    else one.once('close', resolve);
  });

/**
 * Resolves when both ends are closed. A fast sender waits for a slow receiver; an end that finishes sending may still receive; an end that
 * breaks takes the other one along.
 */
export const tunnel = async (a: Duplex, b: Duplex, { idleMs, signal }: TunnelOptions): Promise<void> => {
  const end = (): void => {
    for (const one of [a, b]) one.end(() => one.destroy());
    setTimeout(() => {
      for (const one of [a, b]) one.destroy();
    }, FLUSH_MS).unref();
  };
  let idle = setTimeout(end, idleMs);
  const heard = (): void => void idle.refresh();
  const half = (): void => {
    clearTimeout(idle);
    idle = setTimeout(end, HALF_OPEN_MS);
  };
  for (const one of [a, b]) {
    // An end that has sent all may wait for an answer.
    one.allowHalfOpen = true;
    one
      .on('error', () => undefined)
      .on('data', heard)
      .once('end', half);
  }
  follow(a, b);
  follow(b, a);
  a.pipe(b);
  b.pipe(a);
  if (signal.aborted) end();
  signal.addEventListener('abort', end, { once: true });
  await Promise.all([closed(a), closed(b)]);
  clearTimeout(idle);
  signal.removeEventListener('abort', end);
};
