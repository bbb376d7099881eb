import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { HttpRequest } from '../../shared/apiserver/http.ts';
import type { Serve } from '../../shared/apiserver/serve.ts';

export interface ApiListener {
  /** `http://127.0.0.1:<port>` */
  readonly url: string;
  close(): Promise<void>;
}

const LOOPBACK = '127.0.0.1';

const bodyOf = async (message: IncomingMessage): Promise<Uint8Array> => {
  const chunks: Buffer[] = [];
  for await (const chunk of message) chunks.push(chunk);
  return Buffer.concat(chunks);
};

const headersOf = ({ headers }: IncomingMessage): HttpRequest['headers'] =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, value && String(value)]));

const requestOf = async (message: IncomingMessage): Promise<HttpRequest> => {
  const [path = '', query = ''] = (message.url ?? '').split(/\?(.*)/s);
  return {
    method: message.method ?? 'GET',
    path,
    query: new URLSearchParams(query),
    headers: headersOf(message),
    body: await bodyOf(message),
  };
};

const answer = async (serve: Serve, message: IncomingMessage, response: ServerResponse): Promise<void> => {
  const { status, headers, body } = await serve(await requestOf(message));
  response.writeHead(status, headers).end(body);
};

/** A server over plain HTTP on a free port of this machine, as a function URL would call it. */
export const listen = async (serve: Serve): Promise<ApiListener> => {
  const server = createServer((message, response) => {
    answer(serve, message, response).catch((error: unknown) => response.destroy(error as Error));
  }).listen(0, LOOPBACK);
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  const close = async (): Promise<void> => {
    server.closeAllConnections();
    server.close();
    await once(server, 'close');
  };
  return { url: `http://${LOOPBACK}:${address.port}`, close };
};
