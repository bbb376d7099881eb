/** A receiver of events on loopback that answers as a test says. */

import { createHmac, timingSafeEqual } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';

export interface ReceivedEvent {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
  readonly event: {
    readonly id: string;
    readonly type: string;
    readonly data: Readonly<Record<string, unknown>>;
  };
}

export type Answering = (response: ServerResponse) => void;

export const ANSWERS = {
  ok: (response) => void response.writeHead(204).end(),
  busy: (response) => void response.writeHead(503, { 'retry-after': '0' }).end('later'),
  redirect: (response) => void response.writeHead(307, { location: '/elsewhere' }).end(),
  close: (response) => void response.socket?.destroy(),
  garbage: (response) => void response.socket?.end('no HTTP at all\r\n\r\n'),
  refuse: (response) => void response.writeHead(400).end('never'),
  hang: () => undefined,
  endless: (response) => {
    response.writeHead(200);
    const write = (): void => {
      while (!response.destroyed && response.write('x'.repeat(65_536)));
    };
    response.on('drain', write);
    write();
  },
} as const satisfies Record<string, Answering>;

/** As docs/events.md shows it. */
export const isSigned = (header: string, body: string, key: string, now: number): boolean => {
  const [t = '', ...signatures] = header.split(',').map((part) => part.split('=')[1] ?? '');
  const expected = createHmac('sha256', key).update(`${t}.${body}`).digest();
  const isRecent = Math.abs(now / 1000 - Number(t)) < 300;
  return (
    isRecent &&
    signatures.some((one) => one.length === 64 && timingSafeEqual(Buffer.from(one, 'hex'), expected))
  );
};

export const startReceiver = async (answer: Answering = ANSWERS.ok) => {
  const received: ReceivedEvent[] = [];
  const receiver = { answer };
  const server = createServer((request, response) => {
    let body = '';
    request.on('data', (chunk: Buffer) => {
      body += chunk.toString();
    });
    request.on('end', () => {
      received.push({ path: request.url ?? '', headers: request.headers, body, event: JSON.parse(body) });
      receiver.answer(response);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const port = address !== null && typeof address === 'object' ? address.port : 0;
  return {
    url: `http://127.0.0.1:${port}/hook`,
    received,
    answering: (next: Answering) => {
      receiver.answer = next;
    },
    stop: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
};

export type EventReceiver = Awaited<ReturnType<typeof startReceiver>>;
