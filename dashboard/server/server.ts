/** The server of the dashboard: HTTP on loopback for one person's browser. */
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { readBoundedText } from '../../shared/kube/json/bounded-answer.ts';
import { sendStream } from '../../shared/serving/bodies/send-stream.ts';
import { type Entry, enterBy, openLink } from './enter.ts';
import { refusalOf } from './guard.ts';
import type { PageFiles } from './page-files.ts';
import { actionsRoute } from './routes/actions.ts';
import { detailRoute } from './routes/detail.ts';
import { historyRoute } from './routes/history.ts';
import { liveRoute } from './routes/live.ts';
import { readRoute } from './routes/read.ts';
import type { DashboardAnswer, DataRoute, RouteDeps } from './routes/route.ts';
import { whatIfRoute } from './routes/what-if.ts';
import { createSession, type DashboardSession } from './session.ts';

/** Most bytes of a request's body. */
const MOST_BODY = 16_384;
const HOST = '127.0.0.1';

const SECURITY: Readonly<Record<string, string>> = {
  'content-security-policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'cache-control': 'no-store',
};

export interface ServerOptions extends RouteDeps {
  readonly port: number;
  readonly files: PageFiles;
  readonly onError: (error: unknown) => void;
  /** Called when a person has opened the link, and there is another one. */
  readonly onLinkUsed?: (() => void) | undefined;
}

/** A running server. */
export interface DashboardServer {
  readonly port: number;
  /** The address with a token that is good once. */
  link(): string;
  /** Makes another link; the one before is not good any more. */
  renewLink(): void;
  stop(): Promise<void>;
}

interface Shared {
  readonly options: ServerOptions;
  readonly session: DashboardSession;
  readonly port: number;
}

/** In this order. */
const ROUTES: readonly DataRoute[] = [
  liveRoute,
  detailRoute,
  readRoute,
  historyRoute,
  whatIfRoute,
  actionsRoute,
];

const send = (response: ServerResponse, status: number, type: string, body: string | Buffer): void => {
  response.writeHead(status, {
    ...SECURITY,
    'content-type': type,
    'content-length': Buffer.byteLength(body),
  });
  response.end(response.req.method === 'HEAD' ? undefined : body);
};

const sendJson = (response: ServerResponse, status: number, body: object | string): void =>
  send(response, status, 'application/json', typeof body === 'string' ? body : JSON.stringify(body));

const bodyOf = async (message: IncomingMessage): Promise<unknown> => {
  if (message.method !== 'POST') return undefined;
  try {
    return JSON.parse(await readBoundedText(message, { bytes: MOST_BODY }));
  } catch {
    return undefined;
  }
};

const sendAnswer = async (
  response: ServerResponse,
  { status, body, events }: DashboardAnswer,
): Promise<void> => {
  if (!events) return sendJson(response, status, body ?? {});
  response.writeHead(status, { ...SECURITY, 'content-type': 'text/event-stream' });
  await sendStream(events, response);
};

const answerData = async (
  message: IncomingMessage,
  response: ServerResponse,
  url: URL,
  { options, session }: Shared,
): Promise<void> => {
  if (!session.holds(message.headers.cookie))
    return sendJson(response, 401, { message: 'open the link that the terminal shows' });
  const gone = new AbortController();
  response.on('close', () => gone.abort());
  const body = await bodyOf(message);
  if (message.method === 'POST' && body === undefined)
    return sendJson(response, 400, { message: `the body is not JSON of at most ${MOST_BODY} bytes` });
  const request = {
    method: message.method ?? 'GET',
    path: url.pathname.slice('/data'.length),
    query: url.searchParams,
    headers: message.headers,
    body,
    signal: gone.signal,
  };
  for (const route of ROUTES) {
    const answer = route(request, options);
    if (answer) return sendAnswer(response, await answer);
  }
  sendJson(response, 404, { message: 'there is no such data' });
};

const sendEntry = (response: ServerResponse, { status, headers, body }: Entry): void => {
  response.writeHead(status, { ...SECURITY, ...headers });
  response.end(response.req.method === 'HEAD' ? undefined : body);
};

/** The form with the token of a link. */
const enter = async (
  message: IncomingMessage,
  response: ServerResponse,
  { session }: Shared,
): Promise<void> => {
  const form = await readBoundedText(message, { bytes: MOST_BODY }).catch(() => '');
  sendEntry(response, enterBy(message, new URLSearchParams(form).get('token') ?? '', session));
};

const sendFile = (
  message: IncomingMessage,
  response: ServerResponse,
  path: string,
  files: PageFiles,
): void => {
  const file = files.get(path === '/' ? 'index.html' : path.slice(1));
  if (file && message.method !== 'POST') send(response, 200, file.type, file.bytes);
  else sendJson(response, 404, { message: 'there is no such file' });
};

const answer = async (message: IncomingMessage, response: ServerResponse, shared: Shared): Promise<void> => {
  const { method = '', url: target = '', headers } = message;
  const [path = ''] = target.split('?', 1);
  const refusal = refusalOf({ method, path, headers }, shared.port);
  if (refusal) return sendJson(response, refusal.status, { message: refusal.message });
  const url = new URL(`http://${HOST}:${shared.port}${target}`);
  const token = url.searchParams.get('token');
  if (path === '/' && method === 'POST') return enter(message, response, shared);
  if (path === '/' && token !== null) return sendEntry(response, openLink(message, token, shared.session));
  if (path.startsWith('/data/')) return answerData(message, response, url, shared);
  return sendFile(message, response, path, shared.options.files);
};

const portOf = (server: Server): number => {
  const address = server.address();
  return typeof address === 'object' && address ? address.port : 0;
};

/** Listens. Rejects with the error of `listen`, such as EADDRINUSE. */
export const startServer = async (options: ServerOptions): Promise<DashboardServer> => {
  const server = createServer({ requestTimeout: 30_000, headersTimeout: 10_000, maxHeaderSize: 16_384 });
  server.listen({ host: HOST, port: options.port });
  await once(server, 'listening');
  const port = portOf(server);
  const shared = { options, session: createSession(port, options.onLinkUsed), port };
  server.on('request', (message, response) => {
    answer(message, response, shared).catch((error: unknown) => {
      if (!response.destroyed) options.onError(error);
      if (response.headersSent) response.destroy();
      else sendJson(response, 500, { message: 'the dashboard could not answer' });
    });
  });
  return {
    port,
    link: () => `http://${HOST}:${port}/?token=${shared.session.token()}`,
    renewLink: shared.session.renew,
    stop: async () => {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
};
