import { once } from 'node:events';
import { createServer as createHttpServer, type Server } from 'node:http';
import { createServer as createHttp2Server } from 'node:http2';
import type { AddressInfo, Server as NetServer } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { createHooks } from '../../../../../agent/adapters/probes/hooks.ts';
import { createProber } from '../../../../../agent/adapters/probes/prober.ts';
import type { ExecAnswer } from '../../../../../agent/ports/machine/runtime.ts';
import type { Container, Probe } from '../../../../../agent/rules/containers/container.ts';
import { podOf } from '../../../../support/agent/pods/pod-world.ts';

const open: { close(): unknown }[] = [];

afterEach(() => {
  for (const one of open.splice(0)) one.close();
});

const listening = async (server: NetServer): Promise<number> => {
  open.push(server);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
};

const closedPort = async (): Promise<number> => {
  const port = await listening(createHttpServer());
  const server = open.pop() as Server;
  server.close();
  return port;
};

const execs: string[][] = [];

const deps = (answer: ExecAnswer = { exitCode: 0, output: '' }) => ({
  runtime: {
    exec: async (_id: string, command: readonly string[]) => {
      execs.push([...command]);
      return answer;
    },
  },
  podIp: () => '127.0.0.1',
  version: '1.34',
  clock: { sleep: async () => undefined },
});

const POD = podOf('p');

const probe = async (livenessProbe: Probe, container: Partial<Container> = {}, answer?: ExecAnswer) =>
  await createProber(deps(answer)).probe('Liveness', POD, { name: 'c', ...container, livenessProbe }, 'id');

describe('a probe by a command', () => {
  it('succeeds with code 0, with references to the variables that the pod tells', async () => {
    const env = [{ name: 'A', value: 'x' }];
    expect(
      await probe({ exec: { command: ['is', '$(A)', '$(B)'] } }, { env }, { exitCode: 0, output: 'yes' }),
    ).toEqual({
      kind: 'success',
      output: 'yes',
    });
    expect(execs.at(-1)).toEqual(['is', 'x', '$(B)']);
  });

  it.each([
    [{ exitCode: 1, output: 'no' }, 'no'],
    [{ output: '' }, 'command "is it" timed out'],
  ])('fails with %j', async (answer, output) => {
    expect(await probe({ exec: { command: ['is', 'it'] } }, {}, answer)).toEqual({ kind: 'failure', output });
  });
});

interface Answer {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

const ANSWERS: Readonly<Record<string, Answer>> = {
  '/ok': { status: 200, body: 'fine' },
  '/away': { status: 302, headers: { location: 'http://example.com/' }, body: 'moved' },
  '/here': { status: 302, headers: { location: '/ok' } },
  '/loop': { status: 302, headers: { location: '/loop' } },
  '/long': { status: 200, body: 'x'.repeat(20_000) },
};

describe('a probe by HTTP', () => {
  const serve = async () => {
    const seen: unknown[] = [];
    const server = createHttpServer((request, response) => {
      const { url = '', headers } = request;
      seen.push([url, headers['user-agent'], headers['accept'], headers['host'], headers['x-a']]);
      const answer = ANSWERS[url] ?? { status: 500, body: 'fine' };
      if (url !== '/silent') response.writeHead(answer.status, answer.headers ?? {}).end(answer.body);
    });
    return { port: await listening(server), seen, server };
  };

  it.each([
    ['/ok', 'success', 'fine'],
    ['/here', 'success', 'fine'],
    ['/bad', 'failure', 'HTTP probe failed with statuscode: 500'],
    ['/away', 'warning', 'Probe terminated redirects, Response body: moved'],
    ['/long', 'success', 'x'.repeat(10_240)],
  ])('%s: %s', async (path, kind, output) => {
    const { port } = await serve();
    expect(await probe({ httpGet: { path, port } })).toEqual({ kind, output });
  });

  it('follows no more than ten redirects, and waits no longer than it may', async () => {
    const { port, server } = await serve();
    expect((await probe({ httpGet: { path: '/loop', port } })).output).toBe(
      `Get "http://127.0.0.1:${port}/loop": stopped after 10 redirects`,
    );
    expect((await probe({ httpGet: { path: '/silent', port }, timeoutSeconds: 0.05 })).output).toBe(
      `Get "http://127.0.0.1:${port}/silent": context deadline exceeded (Client.Timeout exceeded while awaiting headers)`,
    );
    server.closeAllConnections();
  });

  it('sends its headers, to a named port', async () => {
    const { port, seen } = await serve();
    const httpHeaders = [
      { name: 'Host', value: 'web' },
      { name: 'X-A', value: '1' },
    ];
    await probe(
      { httpGet: { path: 'ok', port: 'http', httpHeaders } },
      { ports: [{ name: 'http', containerPort: port }] },
    );
    expect(seen).toEqual([['/ok', 'kube-probe/1.34', '*/*', 'web', '1']]);
  });

  it('says why nobody answers, and rejects what it cannot ask', async () => {
    const port = await closedPort();
    expect(await probe({ httpGet: { path: '/', port } })).toEqual({
      kind: 'failure',
      output: `Get "http://127.0.0.1:${port}/": dial tcp 127.0.0.1:${port}: connect: connection refused`,
    });
    await expect(probe({ httpGet: { path: '/', port: 'web' } })).rejects.toThrow('port web not found');
    await expect(probe({ tcpSocket: { port: 70_000 } })).rejects.toThrow('invalid port number: 70000');
    await expect(probe({})).rejects.toThrow('missing probe handler for default/p');
  });
});

describe('a probe by TCP', () => {
  it('succeeds when the port is open', async () => {
    expect(await probe({ tcpSocket: { port: await listening(createHttpServer()) } })).toEqual({
      kind: 'success',
      output: '',
    });
    const port = await closedPort();
    expect(await probe({ tcpSocket: { port } })).toEqual({
      kind: 'failure',
      output: `dial tcp 127.0.0.1:${port}: connect: connection refused`,
    });
  });
});

describe('a probe by gRPC', () => {
  const serve = async (status: number, code = 0): Promise<number> => {
    const server = createHttp2Server();
    server.on('stream', (stream, headers) => {
      const chunks: Buffer[] = [];
      stream.on('data', (chunk: Buffer) => chunks.push(chunk));
      stream.on('end', () => {
        expect([headers[':path'], Buffer.concat(chunks).toString('latin1')]).toEqual([
          '/grpc.health.v1.Health/Check',
          '\0\0\0\0\u0006\n\u0004live',
        ]);
        stream.respond({ ':status': 200, 'content-type': 'application/grpc' }, { waitForTrailers: true });
        stream.on('wantTrailers', () =>
          stream.sendTrailers({ 'grpc-status': code, 'grpc-message': 'no%20such' }),
        );
        stream.end(Buffer.from([0, 0, 0, 0, 2, 8, status]));
      });
    });
    return await listening(server);
  };

  it.each([
    [1, 0, 'success', 'service healthy'],
    [2, 0, 'failure', 'service unhealthy (responded with "NOT_SERVING")'],
    [
      0,
      12,
      'failure',
      'error: this server does not implement the grpc health protocol (grpc.health.v1.Health): no such',
    ],
  ])('status %j, code %j: %s', async (status, code, kind, output) => {
    expect(await probe({ grpc: { port: await serve(status, code), service: 'live' } })).toEqual({
      kind,
      output,
    });
  });

  it('fails for an answer that does not end, and reads no further', async () => {
    const server = createHttp2Server();
    let isClosed = false;
    server.on('stream', (stream) => {
      stream
        .on('error', () => undefined)
        .on('close', () => {
          isClosed = true;
        });
      stream.respond({ ':status': 200, 'content-type': 'application/grpc' });
      const write = (): void => {
        while (!stream.destroyed && stream.write(Buffer.alloc(16_384)));
      };
      stream.on('drain', write);
      write();
    });
    const port = await listening(server);
    const { kind, output } = await probe({ grpc: { port } });
    expect([kind, output]).toEqual(['failure', expect.stringContaining('more than 65536 bytes')]);
    await expect.poll(() => isClosed, { timeout: 30_000 }).toBe(true);
  });

  it('fails when nobody listens', async () => {
    const port = await closedPort();
    expect((await probe({ grpc: { port } })).output).toBe(
      `error: failed to connect service at "127.0.0.1:${port}": dial tcp 127.0.0.1:${port}: connect: connection refused`,
    );
  });
});

describe('hooks', () => {
  const live = new AbortController().signal;
  const withHook = (postStart: object): Container => ({ name: 'c', lifecycle: { postStart } });

  it('tell why they failed', async () => {
    const hooks = createHooks(deps({ exitCode: 3, output: 'no' }));
    await expect(
      hooks.postStart(POD, withHook({ exec: { command: ['a', 'b'] } }), 'id', live),
    ).rejects.toThrow(
      `Exec lifecycle hook ([a b]) for Container "c" in Pod "p_default(uid-p)" failed - error: command 'a b' exited with 3: , message: "no"`,
    );
    const port = await closedPort();
    await expect(
      hooks.postStart(POD, withHook({ httpGet: { path: '/x', port } }), 'id', live),
    ).rejects.toThrow(
      `HTTP lifecycle hook (/x) for Container "c" in Pod "p_default(uid-p)" failed - error: Get "http://127.0.0.1:${port}/x"`,
    );
  });

  it('may wait, and are not waited for any more when the pod is to be ended', async () => {
    const hooks = createHooks({
      ...deps(),
      clock: { sleep: async () => await new Promise(() => undefined) },
    });
    const sleep = { name: 'c', lifecycle: { preStop: { sleep: { seconds: 5 } } } };
    await createHooks(deps()).preStop(POD, sleep, 'id');
    await expect(
      hooks.postStart(POD, withHook({ sleep: { seconds: 5 } }), 'id', AbortSignal.abort()),
    ).resolves.toBeUndefined();
  });
});
