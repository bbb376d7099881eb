/** Clients that keep to no rules: bytes over TLS. */
import { once } from 'node:events';
import { Agent, request } from 'node:https';
import { connect, type TLSSocket } from 'node:tls';
import { inParallel } from '../../shared/store/turns/in-parallel.ts';
import type { AbusedHost } from './host.ts';

export interface Sent {
  readonly method?: string;
  readonly path: string;
  readonly token?: string | undefined;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
}

export interface Answered {
  /** 0: none. */
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly text: string;
}

const NONE: Answered = { status: 0, headers: {}, text: '' };
const TIMEOUT_MS = 60_000;

export interface Client {
  send(sent: Sent): Promise<Answered>;
  /** All of them, so many at a time; answers in their order. */
  sendAll(sent: readonly Sent[], atATime?: number): Promise<readonly Answered[]>;
  /** A request whose answer goes on: resolves with its status, and leaves the rest unread unless `reads`. */
  open(sent: Sent, reads: boolean): Promise<number>;
  /** A connection that is spoken to in bytes; `undefined`: it was refused. */
  raw(): Promise<TLSSocket | undefined>;
  close(): void;
}

const opened = async (socket: TLSSocket): Promise<TLSSocket | undefined> => {
  const isOpen = await Promise.race([
    once(socket, 'secureConnect').then(
      () => true,
      () => false,
    ),
    once(socket, 'close').then(() => false),
  ]);
  return isOpen ? socket : undefined;
};

export const createClient = ({ url, ca }: Pick<AbusedHost, 'url' | 'ca'>): Client => {
  const agent = new Agent({ ca, keepAlive: true, maxSockets: Infinity });
  const sockets = new Set<TLSSocket>();

  const begin = ({ method = 'GET', path, token, headers, body }: Sent) => {
    const authorization = token === undefined ? {} : { authorization: `Bearer ${token}` };
    const length = body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) };
    const { hostname: host, port } = url;
    const given = { ...authorization, ...length, ...headers };
    const sent = request({ host, port, path, agent, method, headers: given, timeout: TIMEOUT_MS });
    sent.on('timeout', () => sent.destroy());
    sent.end(body);
    return sent;
  };

  const send = (given: Sent): Promise<Answered> =>
    new Promise((resolve) => {
      const sent = begin(given);
      let seen = NONE;
      // A server that does not read on may break the connection behind its answer.
      sent.on('error', () => resolve(seen));
      sent.on('response', (response) => {
        let text = '';
        seen = { ...NONE, status: response.statusCode ?? 0, headers: response.headers };
        response.setEncoding('utf8').on('data', (piece: string) => {
          text += piece;
        });
        response.on('error', () => resolve(seen));
        response.on('close', () =>
          resolve({ status: response.statusCode ?? 0, headers: response.headers, text }),
        );
      });
    });

  return {
    send,
    sendAll: async (all, atATime = 64) => {
      const answers: Answered[] = [];
      await inParallel([...all.entries()], atATime, async ([index, sent]) => {
        answers[index] = await send(sent);
      });
      return answers;
    },
    open: (given, reads) =>
      new Promise((resolve) => {
        const sent = begin(given);
        sent.setTimeout(0);
        sent.on('error', () => resolve(0));
        sent.on('response', (response) => {
          response.on('error', () => undefined);
          if (reads || response.statusCode !== 200) response.resume();
          resolve(response.statusCode ?? 0);
        });
      }),
    raw: async () => {
      const socket = connect({ host: url.hostname, port: Number(url.port), ca });
      sockets.add(socket);
      socket.on('error', () => undefined).on('close', () => sockets.delete(socket));
      return opened(socket);
    },
    close: () => {
      agent.destroy();
      for (const socket of sockets) socket.destroy();
    },
  };
};
