/** Requests of an administrator to a host, and its watches. */
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { type ApiResponse, parsedBody } from '../../shared/client/api-client.ts';
import { createTransport } from '../../shared/client/transport.ts';
import type { Seen } from './history.ts';

const TIMEOUT_MS = 15_000;
const CONNECTIONS = 32;

const PATCHES = {
  merge: 'application/merge-patch+json',
  strategic: 'application/strategic-merge-patch+json',
} as const;

export interface WatchEvent {
  readonly type: string;
  readonly object: Seen;
}

export interface Api {
  /** Any answer, also an error. */
  post(path: string, body: object): Promise<ApiResponse>;
  get(path: string): Promise<ApiResponse>;
  patch(path: string, body: object, how?: keyof typeof PATCHES): Promise<ApiResponse>;
  delete(path: string, options?: object): Promise<ApiResponse>;
  /** From a version on, until the server ends it or the api is closed. */
  watch(path: string, version: string): AsyncIterable<WatchEvent>;
  close(): void;
}

export const connectApi = (url: string, ca: string, token: string): Api => {
  const transport = createTransport({
    url: new URL(url),
    ca,
    maxSockets: CONNECTIONS,
    timeoutMs: TIMEOUT_MS,
  });
  // A watch may be silent for long.
  const watches = createTransport({ url: new URL(url), ca, maxSockets: CONNECTIONS });
  const authorization = `Bearer ${token}`;

  const send = async (
    method: string,
    path: string,
    body?: object,
    type = 'application/json',
  ): Promise<ApiResponse> => {
    const sent =
      body === undefined
        ? { headers: { authorization } }
        : { headers: { authorization, 'content-type': type }, body: Buffer.from(JSON.stringify(body)) };
    const answer = await transport.send({ method, path, ...sent });
    return { status: answer.statusCode ?? 0, body: parsedBody(await text(answer)) };
  };

  return {
    post: (path, body) => send('POST', path, body),
    get: (path) => send('GET', path),
    patch: (path, body, how = 'merge') => send('PATCH', path, body, PATCHES[how]),
    delete: (path, options) => send('DELETE', path, options),
    async *watch(path, version) {
      const query = `watch=true&allowWatchBookmarks=true&resourceVersion=${version}`;
      const answer = await watches.send({
        method: 'GET',
        path: `${path}?${query}`,
        headers: { authorization },
        isLong: true,
      });
      for await (const line of createInterface({ input: answer })) yield JSON.parse(line) as WatchEvent;
    },
    close: () => {
      watches.close();
      transport.close();
    },
  };
};
