/** One stream of a SPDY connection. */
import { Duplex } from 'node:stream';
import { type Frame, RESET } from '../../rules/spdy/frames.ts';
import type { Headers } from '../../rules/spdy/headers.ts';

export interface SpdyStream extends Duplex {
  readonly headers: Headers;
}

/** A stream as its connection sees it. */
export interface ConnectedStream {
  readonly stream: SpdyStream;
  /** Takes bytes; resolves when there is room for more. */
  take(bytes: Uint8Array): Promise<void>;
  /** The other side sends no more. */
  finish(): void;
}

export interface StreamDeps {
  readonly id: number;
  readonly headers: Headers;
  /** Resolves when the connection has taken it. */
  send(frame: Frame): Promise<void>;
  /** Takes the stream from the connection; answers whether it was there. */
  forget(): boolean;
}

/** Largest piece that is sent at once (bytes). */
const PIECE = 32 * 1024;

const sendPieces = async ({ id, send }: StreamDeps, chunk: Buffer): Promise<void> => {
  for (let at = 0; at < chunk.length; at += PIECE)
    await send({ kind: 'data', stream: id, isLast: false, bytes: chunk.subarray(at, at + PIECE) });
};

const settle = async (work: Promise<unknown>, done: (error?: Error) => void): Promise<void> => {
  const fault = await work.then(
    () => undefined,
    (error: Error) => error,
  );
  done(fault);
};

export const createStream = (deps: StreamDeps): ConnectedStream => {
  const { id, headers, send, forget } = deps;
  let makeRoom = (): void => {};
  let isFinished = false;
  const duplex = new Duplex({
    allowHalfOpen: true,
    readableHighWaterMark: 2 * PIECE,
    read: () => makeRoom(),
    write: (chunk: Buffer, _encoding, done) => void settle(sendPieces(deps, chunk), done),
    final: (done) =>
      void settle(send({ kind: 'data', stream: id, isLast: true, bytes: new Uint8Array() }), done),
    destroy: (error, done) => {
      makeRoom();
      const isOver = isFinished && duplex.writableFinished;
      if (forget() && !isOver) send({ kind: 'reset', stream: id, status: RESET.cancelled }).catch(() => {});
      done(error);
    },
  });
  // Whoever reads or writes hears of it; that nobody does is no fault.
  duplex.on('error', () => {});
  return {
    stream: Object.assign(duplex, { headers }),
    take: async (bytes) => {
      if (isFinished || duplex.destroyed || duplex.push(bytes)) return;
      const { promise, resolve } = Promise.withResolvers<void>();
      makeRoom = resolve;
      await promise;
    },
    finish: () => {
      if (!isFinished && !duplex.destroyed) duplex.push(null);
      isFinished = true;
    },
  };
};
