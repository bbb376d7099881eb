/**
 * A process with nothing but `node:https`: it reads each request and sends one answer, which its parent gives it. Called with the
 * folder of a host, whose certificate it uses.
 */

import { readFileSync } from 'node:fs';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';

/** An answer as the host gave it, without the headers that Node itself adds. */
export interface BareAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** What the parent sends: the next answer, or `cpu` for the processor time so far (ms). */
export type BareMessage = { readonly answer: BareAnswer } | 'cpu';

const read = (name: string): string => readFileSync(join(process.argv[2] ?? '', name), 'utf8');

let answer: BareAnswer = { status: 200, headers: {}, body: '' };

const server = createServer({ cert: read('server.crt'), key: read('server.key') }, (message, response) => {
  message.on('data', () => undefined);
  message.on('end', () => {
    response.writeHead(answer.status, answer.headers);
    response.end(answer.body);
  });
});

server.keepAliveTimeout = 90_000;
server.listen(0, '127.0.0.1', () => process.send?.({ port: (server.address() as AddressInfo).port }));

process.on('message', (message: BareMessage) => {
  if (message !== 'cpu') answer = message.answer;
  const { user, system } = process.cpuUsage();
  process.send?.({ cpuMs: (user + system) / 1000 });
});
