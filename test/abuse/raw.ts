/** Connections that are spoken to in bytes. */
import type { TLSSocket } from 'node:tls';
import { inParallel } from '../../shared/store/turns/in-parallel.ts';
import type { Client } from './client.ts';
import { times } from './row.ts';

/** Opens so many connections at once and does something on each. */
export const onRaw = async (
  client: Client,
  count: number,
  use: (socket: TLSSocket, index: number) => void,
): Promise<readonly TLSSocket[]> => {
  const sockets = await inParallel(
    times(count, (index) => index),
    count,
    async (index) => {
      const socket = await client.raw();
      if (socket) use(socket, index);
      return socket;
    },
  );
  return sockets.filter((socket) => socket !== undefined);
};

export const close = (sockets: readonly TLSSocket[]): void => {
  for (const socket of sockets) socket.destroy();
};

/** The code of the first answer on a connection, as it comes; 0: none yet. */
export const codes = (sockets: readonly TLSSocket[]): (() => readonly number[]) => {
  const seen = sockets.map((socket) => {
    const answer = { code: 0 };
    socket.once('data', (chunk: Buffer) => {
      answer.code = Number(/^HTTP\/1\.1 (\d+)/.exec(chunk.toString('latin1'))?.[1] ?? 0);
    });
    return answer;
  });
  return () => seen.map(({ code }) => code);
};

/** The head of a request, without the empty line after it. */
export const head = (method: string, path: string, headers: Readonly<Record<string, string>>): string =>
  [
    `${method} ${path} HTTP/1.1`,
    'host: x',
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
  ]
    .join('\r\n')
    .concat('\r\n');
