/** Forwards requests from an address of this machine to the stack's API, and counts the watches. */
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { request } from '../../localstack/function-url.ts';
import { output } from './deployment.ts';

export interface CountedApi {
  readonly url: string;
  /** Counts the watches with a field selector: open now, most at the same time, and in total. */
  watches(fieldSelector: string): Readonly<Watches>;
  stop(): Promise<void>;
}

interface Watches {
  open: number;
  most: number;
  total: number;
}

/** The headers to forward. Without `accept-encoding`, because answers are forwarded as uncompressed text. */
const passedOn = (headers: IncomingMessage['headers']): Record<string, string> =>
  Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) =>
      ['host', 'connection', 'accept-encoding', 'transfer-encoding'].includes(name)
        ? []
        : [[name, String(value)]],
    ),
  );

const passOn = async (message: IncomingMessage, response: ServerResponse): Promise<void> => {
  const { method = 'GET', url: path = '/' } = message;
  const body = await text(message);
  const sent = { url: output('ApiUrl'), method, path, headers: passedOn(message.headers) };
  const answered = await request(body === '' ? sent : { ...sent, body });
  response.writeHead(answered.status, passedOn(answered.headers)).end(answered.body);
};

export const startCountedApi = async (): Promise<CountedApi> => {
  const all = new Map<string, Watches>();
  const watches = (fieldSelector: string): Watches => {
    const found = all.get(fieldSelector) ?? { open: 0, most: 0, total: 0 };
    all.set(fieldSelector, found);
    return found;
  };
  const count = (query: URLSearchParams, response: ServerResponse): void => {
    const found = watches(query.get('fieldSelector') ?? '');
    found.open += 1;
    found.total += 1;
    found.most = Math.max(found.most, found.open);
    response.once('close', () => {
      found.open -= 1;
    });
  };
  const server = createServer((message, response) => {
    const { searchParams } = new URL(`http://api.test${message.url}`);
    if (searchParams.has('watch')) count(searchParams, response);
    passOn(message, response).catch(() => response.destroy());
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const stop = async (): Promise<void> => {
    server.close();
    server.closeAllConnections();
    await once(server, 'close');
  };
  return { url: `http://127.0.0.1:${port}`, watches, stop };
};
