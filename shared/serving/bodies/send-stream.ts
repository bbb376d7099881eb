import type { ServerResponse } from 'node:http';

/** Milliseconds without progress after which the connection of a client that does not read is closed. */
const STALLED_MS = 60_000;

/** Resolves when the client has received what was written, or has disconnected. */
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
 * Writes a stream to its end; headers are sent at once. It reads the next piece only when the client has received the last. A slow
 * client therefore delays only itself, and a client that reads nothing is disconnected.
 */
export const sendStream = async (
  stream: AsyncIterable<string | Uint8Array>,
  response: ServerResponse,
): Promise<void> => {
  response.flushHeaders();
  for await (const piece of stream) {
    if (response.destroyed) return;
    if (!response.write(piece)) await drained(response);
  }
  response.end();
};
