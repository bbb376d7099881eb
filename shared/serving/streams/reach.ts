/** The ways to a node: its addresses, or else a channel that it opens. */
import type { Duplex } from 'node:stream';
import type { NodeSession } from '../../apiserver/contract/session.ts';
import { StatusError } from '../../kube/errors/status-error.ts';
import type { ChannelNode, Channels } from './channels.ts';
import { connectDirect, NoWay } from './direct.ts';
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
      return await pinned(stream, endpoint.fingerprint);
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
