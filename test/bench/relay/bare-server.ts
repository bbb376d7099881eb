/**
 * A process with nothing but `node:https`, which sends one answer to each request. Called with a folder that has a certificate and
 * the answer: its headers and its body as JSON in `answer.json`.
 */
import { readFileSync } from 'node:fs';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';

/** An answer without the headers that Node adds to each. */
export interface Answer {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

const read = (name: string): string => readFileSync(join(process.argv[2] ?? '', name), 'utf8');
const { headers, body } = JSON.parse(read('answer.json')) as Answer;

const options = { cert: read('server.crt'), key: read('server.key'), keepAliveTimeout: 90_000 };
const server = createServer(options, (message, response) => {
  message.on('data', () => undefined);
  message.on('end', () => {
    response.writeHead(200, headers);
    response.end(body);
  });
});
server.listen(0, '127.0.0.1', () => {
  process.stdout.write(` ready port=${(server.address() as AddressInfo).port}\n`);
});
