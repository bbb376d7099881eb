/** How requests get to an API server. */
import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { Agent, request } from 'node:https';
import { createInterface } from 'node:readline';
import { expect } from 'vitest';
import { createAuthority, issueServerCertificate } from '../../../shared/serving/http/certificates.ts';
import { startListener } from '../../../shared/serving/http/listener.ts';
import { parseHostConfiguration } from '../../../shared/settings/host/host-configuration.ts';
import type { ReflectedEvent, Server } from './reflector.ts';
import type { ApiProcess } from './watch-world.ts';

async function* linesOf(stream: AsyncIterable<string>): AsyncGenerator<ReflectedEvent> {
  let rest = '';
  for await (const piece of stream) {
    const lines = (rest + piece).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) yield JSON.parse(line) as ReflectedEvent;
  }
  expect(rest).toBe('');
}

/** Requests without a network. */
export const direct = ({ serve }: Pick<ApiProcess, 'serve'>, token: string): Server => {
  const send = (url: string, signal?: AbortSignal) => {
    const { pathname: path, searchParams: query } = new URL(url, 'http://api.test');
    const headers = { authorization: `Bearer ${token}` };
    return serve({
      method: 'GET',
      path,
      query,
      headers,
      body: new Uint8Array(),
      ...(signal ? { signal } : {}),
    });
  };
  return {
    list: async (url) => {
      const { status, body } = await send(url);
      return { status, json: JSON.parse(String(body)) };
    },
    watch: async function* (url, signal) {
      const { stream } = await send(url, signal);
      if (stream) yield* linesOf(stream);
    },
  };
};

/** The same over the host's listener. */
export const overHttps = async ({ serve }: ApiProcess, token: string) => {
  const ca = await createAuthority(Date.now());
  const tls = await issueServerCertificate(ca, ['127.0.0.1'], Date.now());
  const { limits } = parseHostConfiguration();
  const onError = () => undefined;
  const listener = await startListener({ serve, tls, limits, host: '127.0.0.1', port: 0, onError });
  const agent = new Agent({ ca: ca.certificate, keepAlive: true });
  const get = async (path: string, signal?: AbortSignal): Promise<IncomingMessage> => {
    const headers = { authorization: `Bearer ${token}` };
    const options = {
      host: '127.0.0.1',
      port: listener.port,
      path,
      headers,
      agent,
      ...(signal ? { signal } : {}),
    };
    const sent = request(options).end();
    const [response] = (await once(sent, 'response')) as [IncomingMessage];
    return response;
  };
  const server: Server = {
    list: async (url) => {
      const response = await get(url);
      let text = '';
      for await (const piece of response.setEncoding('utf8')) text += piece;
      return { status: response.statusCode ?? 0, json: JSON.parse(text) };
    },
    watch: async function* (url, signal) {
      const response = await get(url, signal);
      for await (const line of createInterface({ input: response })) yield JSON.parse(line) as ReflectedEvent;
    },
  };
  const stop = async (): Promise<void> => {
    agent.destroy();
    await listener.stop(1_000);
  };
  return { server, stop };
};
