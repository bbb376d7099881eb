/** Connections to the addresses of a node. */
import { connect, type Socket } from 'node:net';
import type { TLSSocket } from 'node:tls';
import type { NodeEndpoint } from '../../rules/streams/node-endpoint.ts';
import { codeOf } from '../http/problem.ts';
import { pinned } from './pinned.ts';

/** Milliseconds until an address counts as one that does not answer. */
const CONNECT_MS = 2_000;
/** Milliseconds of silence after which TCP asks whether the other end is still there. */
const PROBE_MS = 30_000;

const connected = (host: string, port: number, signal: AbortSignal): Promise<Socket> =>
  new Promise((resolve, reject) => {
    const socket = connect({
      host,
      port,
      signal,
      keepAlive: true,
      keepAliveInitialDelay: PROBE_MS,
      noDelay: true,
    });
    const timer = setTimeout(
      () => socket.destroy(new Error(`no connection within ${CONNECT_MS / 1000} s`)),
      CONNECT_MS,
    );
    const fail = (error: Error): void => {
      clearTimeout(timer);
      reject(error);
    };
    socket.once('error', fail).once('connect', () => {
      clearTimeout(timer);
      socket.off('error', fail).on('error', () => undefined);
      resolve(socket);
    });
  });

const shown = (host: string, port: number): string => `${host.includes(':') ? `[${host}]` : host}:${port}`;

/** Why no address of a node could be used. */
export class NoWay extends Error {}

/** Tries the addresses in their order. Rejects with `NoWay`, which says what each attempt came to, or with the signal's reason. */
export const connectDirect = async (
  { addresses, port, fingerprint }: NodeEndpoint,
  signal: AbortSignal,
): Promise<TLSSocket> => {
  const failures: string[] = [];
  for (const host of addresses) {
    try {
      return await pinned(await connected(host, port, signal), fingerprint);
    } catch (error) {
      signal.throwIfAborted();
      const why = codeOf(error) || (error instanceof Error ? error.message : String(error));
      failures.push(`${shown(host, port)}: ${why}`);
    }
  }
  throw new NoWay(failures.length === 0 ? 'it has no address' : failures.join('; '));
};
