import type { ServerResponse } from 'node:http';

/** Milliseconds for which a client may take nothing of what was sent, before its connection is given up. */
const STALLED_MS = 60_000;

/** Resolves when the client has taken what was written, or has gone. */
export const drained = (response: ServerResponse): Promise<void> =>
  new Promise((resolve) => {
    const done = (): void => {
      clearTimeout(timer);
      response.off('drain', done).off('close', done);
      resolve();
    };
    const timer = setTimeout(() => response.destroy(), STALLED_MS);
    response.on('drain', done).on('close', done);
  });

/**
 * Writes a stream to its end, headers at once. The next piece is asked for only when the client has taken the last: a slow
 * one holds up nobody but itself, and one that takes nothing at all is cut off.
 */
export const sendStream = async (stream: AsyncIterable<string>, response: ServerResponse): Promise<void> => {
  response.flushHeaders();
  for await (const piece of stream) {
    if (response.destroyed) return;
    if (!response.write(piece)) await drained(response);
  }
  response.end();
};
