// Requests that Node's HTTP parser refuses before there is a request.
import { connect } from 'node:tls';
import { afterEach, beforeAll, expect, it } from 'vitest';
import {
  type CertifiedKey,
  createAuthority,
  issueServerCertificate,
} from '../../../../shared/serving/http/certificates.ts';
import { type Listener, startListener } from '../../../../shared/serving/http/listener.ts';
import { parseHostConfiguration } from '../../../../shared/settings/host/host-configuration.ts';

let ca: CertifiedKey;
let tls: CertifiedKey;
const listeners: Listener[] = [];

beforeAll(async () => {
  ca = await createAuthority(Date.now());
  tls = await issueServerCertificate(ca, ['127.0.0.1'], Date.now());
});

afterEach(async () => {
  await Promise.all(listeners.splice(0).map((listener) => listener.stop(0)));
});

const listen = async (): Promise<Listener> => {
  const listener = await startListener({
    serve: async ({ method }) => ({ status: 200, headers: {}, body: method }),
    tls,
    limits: parseHostConfiguration().limits,
    host: '127.0.0.1',
    port: 0,
    onError: () => undefined,
  });
  listeners.push(listener);
  return listener;
};

/** All that comes until the server closes. */
const say = async ({ port }: Listener, text: string): Promise<string> => {
  const socket = connect({ host: '127.0.0.1', port, ca: ca.certificate });
  socket.write(text);
  let answer = '';
  for await (const piece of socket.setEncoding('utf8')) answer += piece;
  return answer;
};

const statusIn = (answer: string): unknown => JSON.parse(answer.slice(answer.indexOf('\r\n\r\n')));

it.each(['FOO', 'get', 'X-Y'])('the method %s gets 405, with a Status', async (method) => {
  const answer = await say(await listen(), `${method} /api/v1/nodes HTTP/1.1\r\nHost: a\r\n\r\n`);
  expect(answer).toMatch(/^HTTP\/1\.1 405 Method Not Allowed\r\nContent-Type: application\/json\r\n/);
  expect(statusIn(answer)).toEqual({
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Failure',
    message: 'the server does not allow this method on the requested resource',
    reason: 'MethodNotAllowed',
    details: {},
    code: 405,
  });
});

it.each([
  ['that is no HTTP', 'hello\r\n\r\n'],
  ['with a header without a name', 'GET / HTTP/1.1\r\nHost: a\r\n: b\r\n\r\n'],
])('a request %s is 400, with a Status', async (_name, text) => {
  const answer = await say(await listen(), text);
  expect(answer).toMatch(/^HTTP\/1\.1 400 /);
  expect(statusIn(answer)).toMatchObject({ kind: 'Status', reason: 'BadRequest', code: 400 });
});

it('headers that are too long get 431', async () => {
  const text = `GET / HTTP/1.1\r\nHost: a\r\nx: ${'x'.repeat(70_000)}\r\n\r\n`;
  expect(await say(await listen(), text)).toMatch(/^HTTP\/1\.1 431 /);
});
