/** Reads request bodies, with limits on their size, their speed and their number. */
import type { IncomingMessage } from 'node:http';
import { API_BODY_LIMIT, HEARTBEAT_BODY_LIMIT } from '../../apiserver/body/body.ts';
import {
  badRequest,
  requestEntityTooLarge,
  type StatusError,
  tooManyRequests,
} from '../../kube/errors/status-error.ts';
import type { ByteLimits } from '../../settings/host/host-limits.ts';
import { createKeyedPlaces, createPlaces, type Leave, takeAll } from './connection-limits.ts';

/** Milliseconds without a byte after which a body is no longer read. */
const STALLED_MS = 5_000;
const MEGABYTE = 1_048_576;
const RETRY_SECONDS = 1;
const NO_BODY = new Uint8Array();

export interface Bodies {
  /**
   * Reads the body of a request of `holder`; its bytes count until the signal is aborted. Rejects with 413 if it is too large, 429
   * if the bodies in memory, of this holder or of all, exceed their limit, and 400 if the connection breaks or no byte arrives
   * for too long.
   */
  read(message: IncomingMessage, holder: string, signal: () => AbortSignal): Promise<Uint8Array>;
}

const hasBody = ({ headers }: IncomingMessage): boolean =>
  headers['transfer-encoding'] !== undefined || (headers['content-length'] ?? '0') !== '0';

const tooLarge = (): StatusError =>
  requestEntityTooLarge(`Request entity too large: limit is ${API_BODY_LIMIT}`);

const tooMuch = (whose: string, bytes: number): StatusError =>
  tooManyRequests(
    `${whose} ${bytes / MEGABYTE} MB of request bodies in memory, which is the limit; please try again later`,
    RETRY_SECONDS,
  );

/** Reads all bytes. `onBytes` is called with the number of bytes received and may throw; then reading stops. */
const collect = (message: IncomingMessage, onBytes: (bytes: number) => void): Promise<Uint8Array> =>
  new Promise((resolve, reject) => {
    const chunks: Uint8Array[] = [];
    const end = (): void => {
      clearTimeout(timer);
      message.off('data', onData).off('end', onEnd).off('error', onBreak).off('close', onBreak).pause();
    };
    const fail = (error: unknown): void => {
      end();
      reject(error);
    };
    const onData = (chunk: Uint8Array): void => {
      timer.refresh();
      chunks.push(chunk);
      try {
        onBytes(chunk.byteLength);
      } catch (error) {
        fail(error);
      }
    };
    const onEnd = (): void => {
      end();
      resolve(chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks));
    };
    const onBreak = (): void =>
      fail(badRequest('the connection was closed before the end of the request body'));
    const timer = setTimeout(
      () => fail(badRequest(`no byte of the request body arrived for ${STALLED_MS / 1000} s`)),
      STALLED_MS,
    );
    message.on('data', onData).on('end', onEnd).on('error', onBreak).on('close', onBreak);
  });

/** `bodies`, `bodiesPerIdentity`: most bytes in memory, of all senders and of one. */
export const createBodies = ({ bodies, bodiesPerIdentity }: ByteLimits): Bodies => {
  const all = createPlaces(bodies, () => tooMuch('the server has', bodies));
  const ofHolder = createKeyedPlaces(bodiesPerIdentity, (holder) =>
    tooMuch(`${holder} has`, bodiesPerIdentity),
  );
  const take = (holder: string, bytes: number, signal: AbortSignal): void => {
    const leave: Leave = takeAll([() => ofHolder.take(holder, bytes), () => all.take(bytes)]);
    if (signal.aborted) leave();
    else signal.addEventListener('abort', leave, { once: true });
  };

  return {
    read: async (message, holder, signal) => {
      if (!hasBody(message)) return NO_BODY;
      const declared = Number(message.headers['content-length'] ?? 0);
      if (declared > API_BODY_LIMIT) throw tooLarge();
      // Small bodies, such as those of heartbeats, are bounded by the limit on requests in flight.
      if (declared > HEARTBEAT_BODY_LIMIT) take(holder, declared, signal());
      let size = 0;
      return collect(message, (bytes) => {
        size += bytes;
        if (size > API_BODY_LIMIT) throw tooLarge();
        if (declared === 0) take(holder, bytes, signal());
      });
    },
  };
};
