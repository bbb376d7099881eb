/** Runs a few TLS handshakes per turn of the event loop, so that many new connections do not block other requests. */
import type { Socket } from 'node:net';

/** A handshake takes about a millisecond of the processor. */
const PER_TURN = 4;
/** Milliseconds until a new connection must have begun its handshake. */
const HELLO_MS = 10_000;

export interface Handshakes {
  /** Calls `onHello` when the client has begun, and `start` when it is its turn. */
  await(socket: Socket, onHello: () => void, start: () => void): void;
}

/** `nextTurn` calls `resume` in a later turn of the event loop. */
export const createHandshakes = (nextTurn: (resume: () => void) => void): Handshakes => {
  // A map keeps the order of arrival, and a connection that closes while it waits is removed at once, wherever it stands.
  const waiting = new Map<Socket, () => void>();
  let isRunning = false;

  const run = (): void => {
    let left = PER_TURN;
    for (const [socket, start] of waiting) {
      waiting.delete(socket);
      if (socket.destroyed) continue;
      start();
      left -= 1;
      if (left === 0) break;
    }
    isRunning = waiting.size > 0;
    if (isRunning) nextTurn(run);
  };
  const begin = (socket: Socket, start: () => void): void => {
    waiting.set(socket, start);
    socket.once('close', () => waiting.delete(socket));
    if (isRunning) return;
    isRunning = true;
    nextTurn(run);
  };

  return {
    await: (socket, onHello, start) => {
      // Ignore a reset here: the client has not sent anything yet.
      socket.on('error', () => undefined);
      socket.setTimeout(HELLO_MS, () => socket.destroy());
      socket.once('readable', () => {
        socket.setTimeout(0).removeAllListeners('timeout');
        onHello();
        begin(socket, start);
      });
    },
  };
};
