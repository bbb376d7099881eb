import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createApiClient, expectOk } from '../../../shared/client/api-client.ts';
import { createTransport } from '../../../shared/client/transport.ts';

const listening = async (listener: RequestListener): Promise<string> => {
  const server = createServer(listener).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
};

/** Answers with what it was sent. */
const echo: RequestListener = (request, response) => {
  void text(request).then((body) => {
    const { method, url, headers } = request;
    response.end(JSON.stringify({ method, url, type: headers['content-type'] ?? null, body }));
  });
};

const clientOf = (url: string) => {
  const client = createApiClient(url, '', 1);
  onTestFinished(() => client.close());
  return client;
};

describe('createApiClient', () => {
  it('sends objects as JSON, and patches as merge patches', async () => {
    const client = clientOf(await listening(echo));
    expect(await client.call('POST', '/a?b=c', 't', { d: 1 })).toMatchObject({
      status: 200,
      body: { method: 'POST', url: '/a?b=c', type: 'application/json', body: '{"d":1}' },
    });
    const patched = await client.call('PATCH', '/a', 't', {});
    expect(patched.body).toMatchObject({ type: 'application/merge-patch+json' });
  });

  it('goes through a proxy, which leads to other machines only', async () => {
    const proxy = await listening(echo);
    const variables = { http_proxy: proxy };
    const through = (url: string) => {
      const client = createApiClient(url, undefined, 1, { proxies: variables });
      onTestFinished(() => client.close());
      return client.call('GET', '/a', 't');
    };
    expect(await through('http://api.test')).toMatchObject({ body: { url: 'http://api.test/a' } });
    expect(await through(await listening(echo))).toMatchObject({ body: { url: '/a' } });
  });

  it('sends other media types and headers, and gives the headers of the answer', async () => {
    const url = await listening(({ headers }, response) => {
      response.writeHead(304, { etag: String(headers['if-none-match']), 'x-type': headers['content-type'] });
      response.end();
    });
    const options = { mediaType: 'application/x', headers: { 'if-none-match': '"1"' } };
    expect(await clientOf(url).call('PATCH', '/a', 't', {}, options)).toMatchObject({
      status: 304,
      headers: { etag: '"1"', 'x-type': 'application/x' },
    });
  });

  it('connects anew after its connections were closed', async () => {
    const client = clientOf(await listening(echo));
    await client.call('GET', '/a', 't');
    client.close();
    expect((await client.call('POST', '/b', 't', {})).status).toBe(200);
  });

  it('uses a connection again after a DELETE with a body', async () => {
    const client = clientOf(await listening(echo));
    await client.call('DELETE', '/a', 't', { gracePeriodSeconds: 0 });
    expect((await client.call('GET', '/b', 't')).body).toMatchObject({ method: 'GET', url: '/b', body: '' });
  });

  it('gives a body that is no JSON as text', async () => {
    const url = await listening((_request, response) => response.writeHead(502).end('bad gateway'));
    expect(await clientOf(url).call('GET', '/', 't')).toMatchObject({
      status: 502,
      body: 'bad gateway',
    });
  });

  it('rejects where nobody answers', async () => {
    const url = await listening((request) => request.socket.destroy());
    await expect(clientOf(url).call('GET', '/', 't')).rejects.toThrow();
  });
});

describe('expectOk', () => {
  it('throws what the API says', async () => {
    const refused = Promise.resolve({ status: 403, body: { message: 'no' } });
    await expect(expectOk(refused)).rejects.toThrow('the API answered 403: no');
    await expect(expectOk(refused, [403])).resolves.toEqual({ message: 'no' });
  });
});

describe('createTransport', () => {
  /** Answers the first request of each connection, and closes the connection at the second. */
  const closesWhenUsedAgain = async () => {
    const used = new WeakSet<Socket>();
    return listening((request, response) => {
      if (used.has(request.socket)) request.socket.resetAndDestroy();
      else response.end('ok');
      used.add(request.socket);
    });
  };

  it.each([
    ['sends again what only reads', 'GET', 'ok'],
    ['sends nothing again that may change something', 'POST', 'ECONNRESET'],
  ])('%s, where an idle connection was closed', async (_name, method, expected) => {
    const transport = createTransport({ url: new URL(await closesWhenUsedAgain()), maxSockets: 1 });
    onTestFinished(transport.close);
    const call = async (wanted: string) =>
      text(await transport.send({ method: wanted, path: '/', headers: {} }));
    await call('GET');
    const answered = call(method).catch((error: unknown) => (error as NodeJS.ErrnoException).code);
    expect(await answered).toBe(expected);
  });
});
