/** The ways to a node: its addresses, or else a channel that it opens. */

import { connect, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { TLSSocket } from 'node:tls';
import type { NodeSession } from '../../apiserver/contract/session.ts';
import { StatusError } from '../../kube/errors/status-error.ts';
import type { NodeEndpoint } from '../../rules/streams/node-endpoint.ts';
import { codeOf } from '../http/problem.ts';
import type { ChannelNode, Channels } from './channels.ts';
import { pinned } from './pinned.ts';

/** Milliseconds for which addresses that did not answer are not tried again, if there is another way. */
const FORGET_MS = 60_000;
/** More nodes are not remembered. */
const MOST_REMEMBERED = 10_000;

/** Connects to the server of a node. Rejects with a `StatusError`, or with the signal's reason. */
export type Reach = (session: Pick<NodeSession, 'node' | 'endpoint'>, signal: AbortSignal) => Promise<Duplex>;

/** The second way. */
export interface ChannelWay {
  readonly channels: Channels;
  /** Asks the node for a channel. */
  readonly announce: (node: ChannelNode) => Promise<void>;
  /** Milliseconds of a monotonic clock. */
  readonly elapsed: () => number;
}

/** Milliseconds until an address counts as one that does not answer. */
const CONNECT_MS = 2_000;
/** Milliseconds of silence after which TCP asks whether the other end is still there. */
const PROBE_MS = 30_000;

const unreachable = (name: string, why: string, cause: unknown): StatusError =>
  new StatusError('Timeout', `node ${name} cannot be reached (${why})`, {}, cause);

/** Why the addresses of nodes did not answer a moment ago. */
const createFailures = (elapsed: () => number) => {
  const failures = new Map<string, { readonly at: number; readonly why: string }>();
  return {
    of: (uid: string): string | undefined => {
      const found = failures.get(uid);
      if (found && elapsed() - found.at < FORGET_MS) return found.why;
      failures.delete(uid);
      return undefined;
    },
    add: (uid: string, why: string): void => {
      const [oldest] = failures.keys();
      if (failures.size >= MOST_REMEMBERED && oldest !== undefined) failures.delete(oldest);
      failures.set(uid, { at: elapsed(), why });
    },
  };
};

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
class NoWay extends Error {}

/** Tries the addresses in their order. Rejects with `NoWay`, which says what each attempt came to, or with the signal's reason. */
const connectDirect = async (
  { addresses, port, fingerprint }: NodeEndpoint,
  signal: AbortSignal,
): Promise<TLSSocket> => {
  const failures: string[] = [];
  for (const host of addresses) {
    try {
      return await pinned(await connected(host, port, signal), fingerprint, signal);
    } catch (error) {
      signal.throwIfAborted();
      const why = codeOf(error) || (error instanceof Error ? error.message : String(error));
      failures.push(`${shown(host, port)}: ${why}`);
    }
  }
  throw new NoWay(failures.length === 0 ? 'it has no address' : failures.join('; '));
};

/** Connects directly. Rejects with a `NoWay`, or with the signal's reason. */
const direct = ({ endpoint }: Pick<NodeSession, 'endpoint'>, signal: AbortSignal) =>
  connectDirect(endpoint, signal);

const explained = (name: string, error: unknown): unknown =>
  error instanceof NoWay ? unreachable(name, error.message, error) : error;

/** Connects by one of the addresses only. */
export const createDirectReach = (): Reach => async (session, signal) => {
  try {
    return await direct(session, signal);
  } catch (error) {
    throw explained(session.node.name, error);
  }
};

/** Connects by one of the addresses; if that fails, or failed within the last minute, by a channel. */
export const createReach = ({ channels, announce, elapsed }: ChannelWay): Reach => {
  const failures = createFailures(elapsed);

  const tryDirect = async (session: Pick<NodeSession, 'node' | 'endpoint'>, signal: AbortSignal) => {
    if (failures.of(session.node.uid) !== undefined) return undefined;
    try {
      return await direct(session, signal);
    } catch (error) {
      if (!(error instanceof NoWay)) throw error;
      failures.add(session.node.uid, error.message);
      return undefined;
    }
  };

  return async (session, signal) => {
    const { node, endpoint } = session;
    const socket = await tryDirect(session, signal);
    if (socket) return socket;
    try {
      const stream = await channels.open(node, () => announce(node), signal);
      return await pinned(stream, endpoint.fingerprint, signal);
    } catch (error) {
      signal.throwIfAborted();
      const why = error instanceof Error ? error.message : String(error);
      throw unreachable(
        node.name,
        `${failures.of(node.uid) ?? 'not directly'}; by a channel of its agent: ${why}`,
        error,
      );
    }
  };
};
