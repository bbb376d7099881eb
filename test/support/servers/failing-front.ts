import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { request } from 'node:https';
import type { Socket } from 'node:net';

/**
 * How a front treats requests. `passes`: they reach the server. `503`: a load balancer without a server. `slow`: each answer comes after half a minute. `silent`: no
 * answer comes. Answers that had begun deliver nothing more in all but `passes`.
 */
export type FrontMode = 'passes' | '503' | 'slow' | 'silent';

/** A server in front of another one, as a load balancer, which can fail in the ways of a network. */
export interface FailingFront {
  readonly url: URL;
  become(mode: FrontMode): void;
  /** All present connections deliver nothing any more, in no direction, and stay open: a router has forgotten them. New ones work. */
  forget(): void;
  /** The same for answers to watches of a path. */
  forgetWatches(path: string): void;
  close(): Promise<void>;
}

const SLOW_MS = 30_000;

interface Passing {
  readonly path: string;
  readonly answer: ServerResponse;
  readonly socket: Socket;
}

/** Starts it, by plain HTTP, for a host whose authority is `ca` (PEM). */
export const startFailingFront = async (server: string, ca: string): Promise<FailingFront> => {
  let mode: FrontMode = 'passes';
  const forgotten = new WeakSet<object>();
  const passing = new Set<Passing>();
  const sockets = new Set<Socket>();

  const isDead = (one: Passing): boolean =>
    mode !== 'passes' || forgotten.has(one.socket) || forgotten.has(one.answer);
  const pass = (asked: IncomingMessage, one: Passing): void => {
    const { method, url: path, headers } = asked;
    const { host: _, ...others } = headers;
    const far = request(new URL(path ?? '/', server), { method, headers: others, ca }, (told) => {
      if (isDead(one)) return;
      one.answer.writeHead(told.statusCode ?? 502, told.headers);
      told.on('data', (chunk: Buffer) => {
        if (!isDead(one)) one.answer.write(chunk);
      });
      told.on('end', () => {
        if (!isDead(one)) one.answer.end();
      });
      told.on('error', () => one.answer.destroy());
    });
    far.on('error', () => one.answer.destroy());
    one.answer.on('close', () => far.destroy());
    asked.pipe(far);
  };
  const front = createServer((asked, answer) => {
    const one: Passing = { path: asked.url ?? '', answer, socket: asked.socket };
    if (mode === '503') return void answer.writeHead(503).end('no server is there');
    if (mode === 'silent' || forgotten.has(asked.socket)) return undefined;
    passing.add(one);
    answer.on('close', () => passing.delete(one));
    if (mode === 'slow') setTimeout(() => pass(asked, one), SLOW_MS).unref();
    else pass(asked, one);
    return undefined;
  });
  front.on('connection', (socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
    socket.on('close', () => sockets.delete(socket));
  });
  // Longer than any test: a connection that is closed would show that it is dead.
  front.keepAliveTimeout = 600_000;
  front.listen(0, '127.0.0.1');
  await once(front, 'listening');
  const address = front.address();
  if (address === null || typeof address === 'string') throw new Error('no port');

  return {
    url: new URL(`http://127.0.0.1:${address.port}`),
    become: (next) => {
      if (next !== 'passes') for (const { answer } of passing) forgotten.add(answer);
      mode = next;
    },
    forget: () => {
      for (const socket of sockets) forgotten.add(socket);
    },
    forgetWatches: (path) => {
      for (const one of passing)
        if (one.path.startsWith(`${path}?`) && one.path.includes('watch=')) forgotten.add(one.answer);
    },
    close: async () => {
      front.close();
      for (const socket of sockets) socket.destroy();
      await once(front, 'close');
    },
  };
};
