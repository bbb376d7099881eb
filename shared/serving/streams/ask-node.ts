/** Sends one request to the server of a node, over a connection that is there. */
import { request as httpRequest, type IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import type { RequestHead } from '../../apiserver/contract/http.ts';
import type { NodeSession } from '../../apiserver/contract/session.ts';
import { internalError, StatusError } from '../../kube/errors/status-error.ts';
import { asksForStream } from '../../rules/streams/upgrade.ts';
import { bearerProtocol } from '../bodies/bearer-protocol.ts';
import { codeOf } from '../http/problem.ts';

/** Milliseconds until the node must have answered with a head. A container that is slow to start a command needs a few seconds. */
const HEAD_MS = 30_000;

/** The head of the node's answer. `upgraded`: the connection from then on, and the bytes that came with the head. */
export interface NodeHead {
  readonly message: IncomingMessage;
  readonly upgraded?: { readonly connection: Duplex; readonly head: Uint8Array };
}

/** What of the client's head the node is shown, besides the session's own token. */
const PASSED: readonly string[] = [
  'upgrade',
  'sec-websocket-key',
  'sec-websocket-version',
  'sec-websocket-extensions',
  'sec-websocket-protocol',
  'x-stream-protocol-version',
];

/** Browsers put their token there. It is for this API, and not for a node. */
const withoutBearer = (protocols: string): string =>
  protocols
    .split(',')
    .map((one) => one.trim())
    .filter((one) => bearerProtocol(one) === undefined)
    .join(', ');

const headersFor = ({ node, token }: NodeSession, given: RequestHead['headers']): Record<string, string> => {
  if (!asksForStream(given['upgrade'])) return { host: node.name, authorization: `Bearer ${token}` };
  const passed = PASSED.flatMap((name) => {
    const value = given[name];
    if (value === undefined) return [];
    return [[name, name === 'sec-websocket-protocol' ? withoutBearer(value) : value] as const];
  });
  return {
    host: node.name,
    authorization: `Bearer ${token}`,
    connection: 'Upgrade',
    ...Object.fromEntries(passed),
  };
};

const noAnswer = (name: string): StatusError =>
  new StatusError('Timeout', `node ${name} was reached, and did not answer within ${HEAD_MS / 1000} s`);

/** 500 without Retry-After, as kube-apiserver's: a client that sent `exec` again by itself would run the command twice. */
const failed = (name: string, error: Error): StatusError =>
  error instanceof StatusError
    ? error
    : internalError(
        `node ${name} was reached, and did not answer (${codeOf(error) || error.message})`,
        error,
      );

/** Rejects with a `StatusError`, and destroys `over`, if the node does not answer with HTTP in time. */
export const askNode = (
  over: Duplex,
  session: NodeSession,
  client: Pick<RequestHead, 'method' | 'headers'>,
  signal: AbortSignal,
): Promise<NodeHead> =>
  new Promise((resolve, reject) => {
    const { path, query } = session.target;
    const { name } = session.node;
    const request = httpRequest({
      createConnection: () => over,
      method: client.method,
      path: query === '' ? path : `${path}?${query}`,
      headers: headersFor(session, client.headers),
      signal,
    });
    const timer = setTimeout(() => request.destroy(noAnswer(name)), HEAD_MS);
    const answered = (head: NodeHead): void => {
      clearTimeout(timer);
      head.message.on('error', () => undefined);
      resolve(head);
    };
    request.on('response', (message) => answered({ message }));
    request.on('upgrade', (message, connection, head) =>
      answered({ message, upgraded: { connection, head } }),
    );
    request.on('error', (error) => {
      clearTimeout(timer);
      over.destroy();
      reject(failed(name, error));
    });
    request.end();
  });
