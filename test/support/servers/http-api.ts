/** An API behind a URL that sends every answer as a whole, as function URLs do; it can be away, and break off. */
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import type { HttpResponse } from '../../../shared/apiserver/contract/http.ts';
import type { Serve } from '../../../shared/apiserver/serve.ts';

/** What happens to an answer: it is sent, only a part of it is, or the connection is closed before. */
export type Fate = 'sent' | 'cut' | 'dropped';

export interface HttpApiOptions {
  readonly serve: Serve;
  readonly fate?: () => Fate;
  /** Share of an answer that is cut, 0–1. */
  readonly cutAt?: () => number;
}

export interface HttpApi {
  readonly url: URL;
  /**
   * Watches that are open now, by path and query; those that were at the same time, at most, and all there were; the users
   * that their senders acted as, `''` for none.
   */
  readonly watches: {
    readonly open: Map<string, number>;
    readonly actedAs: Set<string>;
    most: number;
    total: number;
  };
  goAway(): Promise<void>;
  comeBack(): Promise<void>;
  stop(): Promise<void>;
}

const bytesOf = async ({ body, stream }: HttpResponse): Promise<Uint8Array> => {
  if (!stream) return typeof body === 'string' ? Buffer.from(body) : body;
  const pieces: string[] = [];
  for await (const piece of stream) pieces.push(piece);
  return Buffer.from(pieces.join(''));
};

const isWatch = (url: URL): boolean => ['1', 'true'].includes(url.searchParams.get('watch') ?? '');

/** Without what differs between two requests of one watch. */
const selectionOf = (url: URL): string => {
  const { labelSelector = '', fieldSelector = '' } = Object.fromEntries(url.searchParams);
  return `${url.pathname}?${labelSelector}&${fieldSelector}`;
};

export const startHttpApi = async ({
  serve,
  fate = () => 'sent',
  cutAt = () => 0.5,
}: HttpApiOptions): Promise<HttpApi> => {
  const watches = { open: new Map<string, number>(), actedAs: new Set<string>(), most: 0, total: 0 };

  const count = (url: URL, response: ServerResponse): void => {
    const selection = selectionOf(url);
    const change = (by: number): void => {
      watches.open.set(selection, (watches.open.get(selection) ?? 0) + by);
    };
    change(1);
    watches.total += 1;
    watches.most = Math.max(watches.most, watches.open.get(selection) ?? 0);
    response.once('close', () => change(-1));
  };

  const answer = async (message: IncomingMessage, response: ServerResponse): Promise<void> => {
    const url = new URL(`http://api.test${message.url}`);
    const { method = 'GET' } = message;
    const headers = message.headers as Readonly<Record<string, string | undefined>>;
    const request = {
      method,
      path: url.pathname,
      query: url.searchParams,
      headers,
      body: await buffer(message),
    };
    if (isWatch(url)) {
      count(url, response);
      watches.actedAs.add(headers['impersonate-user'] ?? '');
    }
    const ends = fate();
    if (ends === 'dropped') return void response.destroy();
    const answered = await serve(request);
    const bytes = await bytesOf(answered);
    response.writeHead(answered.status, answered.headers);
    if (ends === 'sent') return void response.end(bytes);
    response.write(bytes.subarray(0, Math.floor(bytes.length * cutAt())), () => response.destroy());
  };

  const server = createServer((message, response) => {
    answer(message, response).catch(() => response.destroy());
  });
  const listen = async (port: number): Promise<void> => {
    server.listen(port, '127.0.0.1');
    await once(server, 'listening');
  };
  await listen(0);
  const { port } = server.address() as AddressInfo;
  const stop = async (): Promise<void> => {
    if (!server.listening) return;
    const closed = once(server, 'close');
    server.close();
    server.closeAllConnections();
    await closed;
  };
  return {
    url: new URL(`http://127.0.0.1:${port}`),
    watches,
    stop,
    goAway: stop,
    comeBack: () => listen(port),
  };
};
