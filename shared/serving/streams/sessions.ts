/** Connects clients with the servers of nodes: one connection for each session, and bytes that pass. */
import type { IncomingMessage } from 'node:http';
import type { HttpResponse, RequestHead, UpgradedClient } from '../../apiserver/contract/http.ts';
import type { NodeSession, SessionOpener } from '../../apiserver/contract/session.ts';
import { internalError, StatusError, serviceUnavailable } from '../../kube/errors/status-error.ts';
import { asksForStream } from '../../rules/streams/upgrade.ts';
import type { Leave } from '../bodies/connection-limits.ts';
import { askNode, type NodeHead } from './ask-node.ts';
import type { Channels } from './channels.ts';
import type { Reach } from './reach.ts';
import type { SessionPlaces } from './session-places.ts';
import { tunnel } from './tunnel.ts';

export interface SessionsDeps {
  readonly reach: Reach;
  readonly places: SessionPlaces;
  /** Milliseconds after which a quiet terminal or port-forward ends, as with a kubelet (`streamingConnectionIdleTimeout`). */
  readonly idleMs: number;
  /** Where nodes open channels; absent: they cannot. */
  readonly channels?: Pick<Channels, 'accept'>;
  /** Called with the number of open sessions when it changes. */
  readonly onOpen?: (count: number) => void;
  /** Called with the code of a session that could not be opened: 429, or that of the failure. */
  readonly onFailure?: (code: number) => void;
}

const typeOf = ({ headers }: IncomingMessage): Readonly<Record<string, string>> => ({
  'content-type': headers['content-type'] ?? 'text/plain',
  'cache-control': 'no-cache, private',
});

/** A server that stops ends an answer that goes on, so that the client does not take it for a broken one. */
async function* bytesOf(message: IncomingMessage, signal: AbortSignal): AsyncGenerator<Uint8Array> {
  try {
    for await (const chunk of message as AsyncIterable<Uint8Array>) yield chunk;
  } catch (error) {
    if (!signal.aborted) throw error;
  } finally {
    message.destroy();
  }
}

const headText = ({ statusCode = 101, statusMessage = '', rawHeaders }: IncomingMessage): string => {
  const lines = rawHeaders.flatMap((name, index) =>
    index % 2 === 0 ? [`${name}: ${rawHeaders[index + 1]}`] : [],
  );
  return `HTTP/1.1 ${statusCode} ${statusMessage}\r\n${lines.join('\r\n')}\r\n\r\n`;
};

/** Sends the node's head, and what came with both heads, before the bytes that follow. */
const join = (
  { message, upgraded }: Required<NodeHead>,
  { connection, head, signal }: UpgradedClient,
  idleMs: number,
): Promise<void> => {
  connection.write(headText(message));
  if (upgraded.head.length > 0) connection.write(upgraded.head);
  if (head.length > 0) upgraded.connection.write(head);
  return tunnel(connection, upgraded.connection, { idleMs, signal });
};

/** Retry-After of a request that arrives while the server stops: another one may be there by then. */
const STOPPING_RETRY_SECONDS = 1;

const NEVER = new AbortController().signal;

const sentBack = (
  answered: NodeHead,
  signal: AbortSignal,
  leave: Leave,
  { idleMs }: SessionsDeps,
): HttpResponse => {
  const { message, upgraded } = answered;
  const status = message.statusCode ?? 502;
  if (upgraded) {
    const upgrade = (client: UpgradedClient): void =>
      void join({ message, upgraded }, client, idleMs).finally(leave);
    return { status, headers: {}, body: '', upgrade };
  }
  message.once('close', leave);
  return { status, headers: typeOf(message), body: '', bytes: bytesOf(message, signal) };
};

const opened = async (
  { reach }: SessionsDeps,
  session: NodeSession,
  client: Pick<RequestHead, 'method' | 'headers'>,
  signal: AbortSignal,
): Promise<NodeHead> => {
  const over = await reach(session, signal);
  try {
    const answered = await askNode(over, session, client, signal);
    if (answered.upgraded && !asksForStream(client.headers['upgrade']))
      throw internalError(`node ${session.node.name} changed the protocol, which the client did not ask for`);
    return answered;
  } catch (error) {
    over.destroy();
    throw signal.aborted
      ? serviceUnavailable('the client has gone, or the server stops', {
          retryAfterSeconds: STOPPING_RETRY_SECONDS,
          cause: error,
        })
      : error;
  }
};

const codeOfFailure = (error: unknown): number => (error instanceof StatusError ? error.code : 500);

/** Takes the places of a session, and tells how many are open. */
const taken = ({ places, onOpen }: SessionsDeps, session: NodeSession): Leave => {
  const leave = places.take(session);
  onOpen?.(places.taken());
  return () => {
    leave();
    onOpen?.(places.taken());
  };
};

const openSession = async (
  deps: SessionsDeps,
  session: NodeSession,
  client: Pick<RequestHead, 'method' | 'headers' | 'signal'>,
): Promise<HttpResponse> => {
  const leave = taken(deps, session);
  const signal = client.signal ?? NEVER;
  try {
    return sentBack(await opened(deps, session, client, signal), signal, leave, deps);
  } catch (error) {
    leave();
    throw error;
  }
};

/** Opens sessions within limits. A session counts until its last byte has passed. */
export const createSessions = (deps: SessionsDeps): SessionOpener => ({
  accept: (node, stream, request) => {
    if (!deps.channels) throw new StatusError('NotImplemented', 'this server accepts no channels of nodes');
    return deps.channels.accept(node, stream, request);
  },
  open: async (session, client) => {
    try {
      return await openSession(deps, session, client);
    } catch (error) {
      deps.onFailure?.(codeOfFailure(error));
      throw error;
    }
  },
});
