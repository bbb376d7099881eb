/** A node's server in a few lines: logs, an echo behind each upgrade, and the ways in which a server can be bad. */
import { X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { type CertifiedKey, createAuthority } from '../../../shared/serving/http/certificates.ts';

export interface FakeNodeServer {
  readonly port: number;
  readonly fingerprint: string;
  /** Heads that it has got: method and URL, and the headers. */
  readonly asked: { readonly line: string; readonly headers: IncomingMessage['headers'] }[];
  /** Open connections. */
  readonly open: ReadonlySet<Socket>;
  /** Answers that go on (`follow=true`), to write to or to end. */
  readonly following: ServerResponse[];
  /** Gives it a connection, as a channel does. */
  connect(stream: Duplex): void;
  close(): Promise<void>;
}

export interface FakeNodeOptions {
  readonly tls?: CertifiedKey;
  /** `garbage`: no HTTP. `silence`: no answer. `refusal`: 403 to everything. */
  readonly manner?: 'garbage' | 'silence' | 'refusal';
  /** The answer at `/stats/summary`; a text is sent as it is. */
  readonly summary?: () => object | string;
}

const fingerprintOf = (pem: string): string =>
  new X509Certificate(pem).fingerprint256.replaceAll(':', '').toLowerCase();

const REFUSAL = JSON.stringify({
  kind: 'Status',
  apiVersion: 'v1',
  status: 'Failure',
  message: 'no',
  code: 403,
});

/** Starts it on a free port of loopback. */
export const startFakeNodeServer = async ({
  tls,
  manner,
  summary,
}: FakeNodeOptions = {}): Promise<FakeNodeServer> => {
  const { certificate, key } = tls ?? (await createAuthority(Date.now()));
  const server = createServer({ cert: certificate, key });
  const asked: { line: string; headers: IncomingMessage['headers'] }[] = [];
  const open = new Set<Socket>();
  const following: ServerResponse[] = [];

  const bad = (message: IncomingMessage): boolean => {
    asked.push({ line: `${message.method} ${message.url}`, headers: message.headers });
    if (manner === 'garbage') message.socket.end('no HTTP at all\r\n\r\n');
    if (manner === 'refusal')
      message.socket.end(
        `HTTP/1.1 403 Forbidden\r\nContent-Type: application/json\r\nContent-Length: ${REFUSAL.length}\r\nConnection: close\r\n\r\n${REFUSAL}`,
      );
    return manner !== undefined;
  };
  server.on('request', (message, response) => {
    if (bad(message)) return;
    if (summary && message.url?.startsWith('/stats/summary')) {
      const answer = summary();
      response.end(typeof answer === 'string' ? answer : JSON.stringify(answer));
      return;
    }
    response.writeHead(200, { 'content-type': 'text/plain', 'x-of-node': 'yes' });
    response.write('line 1\n');
    if (message.url?.includes('follow=true')) following.push(response);
    else response.end('line 2\n');
  });
  server.on('upgrade', (message: IncomingMessage, connection: Duplex, head: Uint8Array) => {
    if (bad(message)) return;
    connection.on('error', () => undefined);
    connection.write(
      `HTTP/1.1 101 Switching Protocols\r\nUpgrade: ${message.headers.upgrade}\r\nConnection: Upgrade\r\nX-Echo: yes\r\n\r\nhello `,
    );
    if (head.length > 0) connection.write(head);
    connection.pipe(connection);
  });
  server.on('connection', (socket: Socket) => {
    open.add(socket);
    socket.once('close', () => open.delete(socket));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    fingerprint: fingerprintOf(certificate),
    asked,
    open,
    following,
    connect: (stream) => void server.emit('connection', stream),
    close: async () => {
      for (const socket of open) socket.destroy();
      server.close();
    },
  };
};
