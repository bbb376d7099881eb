import { once } from 'node:events';
import { createServer } from 'node:net';
import { type Duplex, PassThrough } from 'node:stream';
import { setTimeout as wait } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { WebSocket } from 'ws';
import type { ContainerSpec } from '../../../../agent/ports/machine/runtime.ts';
import { createSpdyConnection } from '../../../../agent/server/spdy/connection.ts';
import type { SpdyStream } from '../../../../agent/server/spdy/stream.ts';
import {
  type NodeServerHere,
  startNodeServerHere,
} from '../../../support/agent/machines/node-server-here.ts';
import {
  missingForGroups,
  type RuntimeMachine,
  startRuntimeMachine,
} from '../../../support/agent/machines/runtime-machine.ts';
import { eventually } from '../../../support/clocks/eventually.ts';

const PATIENCE_MS = 20_000;
const missing = missingForGroups();
if (missing !== undefined) process.stdout.write(`skipped: the agent's server over containers: ${missing}\n`);

let machine: RuntimeMachine;
let node: NodeServerHere;

/** A container whose pod the agent knows. */
const run = async (name: string, script: string, more: Partial<ContainerSpec> = {}): Promise<string> => {
  const id = await machine.shell(script, { name, ...more });
  const { namespace, name: pod, uid } = machine.pod;
  const status = {
    name,
    image: 'host',
    imageID: '',
    ready: true,
    restartCount: 0,
    containerID: id,
    state: { running: {} },
  };
  const known = node.pods.get(`${namespace}/${pod}`);
  node.pods.set(`${namespace}/${pod}`, {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { namespace, name: pod, uid },
    spec: { containers: [...(known?.spec.containers ?? []), { name }] },
    status: { containerStatuses: [...(known?.status?.containerStatuses ?? []), status] },
  });
  return id;
};

const idOf = (name: string): string =>
  node.pods.get('default/web')?.status?.containerStatuses?.find((one) => one.name === name)?.containerID ??
  '';

const logs = (name: string, query = ''): string =>
  `/containerLogs/default/web/${name}${query === '' ? '' : `?${query}`}`;
const stream = (kind: string, name: string, query: string): string =>
  `/${kind}/default/web/${machine.pod.uid}/${name}?${query}`;

interface Said {
  readonly out: Record<number, string>;
  readonly closed: Promise<number>;
}

const listen = (socket: WebSocket): Said => {
  const out: Record<number, string> = {};
  socket.on('message', (data: Buffer) => {
    const channel = data[0] ?? -1;
    out[channel] = (out[channel] ?? '') + data.subarray(1).toString();
  });
  const closed = once(socket, 'close').then(([code]) => code as number);
  return { out, closed };
};

const opened = async (url: string, protocol = 'v5.channel.k8s.io') => {
  const socket = node.webSocket(url, protocol);
  const said = listen(socket);
  await once(socket, 'open');
  return { socket, ...said };
};

const exec = (name: string, command: readonly string[], flags: string) => {
  const words = command.map((word) => `command=${encodeURIComponent(word)}`).join('&');
  return opened(stream('exec', name, `${words}&${flags}`));
};

const SUCCESS = '{"metadata":{},"status":"Success"}';

beforeAll(async () => {
  if (missing !== undefined) return;
  machine = await startRuntimeMachine();
  node = await startNodeServerHere(machine);
  await run('main', 'echo one; sleep 1; echo two >&2; exec sleep 3600', {
    environment: { GREETING: 'hello' },
  });
  await eventually('the container has written', PATIENCE_MS, async () =>
    (await node.get(logs('main'))).body.includes('two'),
  );
});

afterAll(async () => {
  node?.close();
  await machine?.close();
});

describe.runIf(missing === undefined)('the server of an agent', { timeout: 60_000 }, () => {
  it('answers only who has a token for the very request, once', async () => {
    expect(await node.get('/healthz', 'none')).toEqual({ status: 200, body: 'ok' });
    const url = logs('main');
    const token = node.token(url);
    expect((await node.get(url, token)).status).toBe(200);
    for (const other of [
      token,
      'x.y.z',
      node.token(logs('main', 'follow=true')),
      node.token(url, { iss: 'other' }),
    ])
      expect(await node.get(url, other)).toMatchObject({
        status: 401,
        body: expect.stringContaining('"Status"'),
      });
    const [head, payload] = node.token(url).split('.');
    expect((await node.get(url, `${head}.${payload}.${'A'.repeat(86)}`)).status).toBe(401);
  });

  it('answers as a kubelet what is not there', async () => {
    expect(await node.get('/containerLogs/default/other/main')).toMatchObject({ status: 404 });
    const refusal = async (url: string) => JSON.parse((await node.get(url)).body) as object;
    expect(await refusal(logs('other'))).toMatchObject({
      kind: 'Status',
      reason: 'NotFound',
      code: 404,
      message: 'container "other" not found in pod "web"',
    });
    expect(await refusal(logs('main', 'previous=true'))).toMatchObject({
      kind: 'Status',
      reason: 'BadRequest',
      code: 400,
      message: 'previous terminated container "main" in pod "web" not found',
    });
    expect((await node.get(logs('main', 'tailLines=x'))).status).toBe(400);
    expect((await node.get('/pods')).status).toBe(404);
    expect((await node.get(stream('exec', 'main', 'command=ls&output=1'))).status).toBe(400);
  });

  it('reads logs: all, the last lines, cut, with times, since', async () => {
    expect((await node.get(logs('main'))).body).toBe('one\ntwo\n');
    expect((await node.get(logs('main', 'tailLines=1'))).body).toBe('two\n');
    expect((await node.get(logs('main', 'limitBytes=5'))).body).toBe('one\nt');
    const { body } = await node.get(logs('main', 'timestamps=true'));
    const [first = ''] = body.split(' ');
    expect(body).toMatch(/^\S+Z one\n\S+Z two\n$/);
    expect(Math.abs(Date.parse(first) - Date.now())).toBeLessThan(60_000);
    expect((await node.get(logs('main', 'sinceSeconds=3600'))).body).toBe('one\ntwo\n');
    const later = new Date(Date.now() + 3_600_000).toISOString();
    expect((await node.get(logs('main', `sinceTime=${later}`))).body).toBe('');
  });

  it('follows a log until the container ends', async () => {
    await run('counts', 'for i in 1 2 3; do echo $i; sleep 0.3; done; printf rest');
    const response = await node.stream(logs('counts', 'follow=true'));
    let text = '';
    for await (const chunk of response) text += String(chunk);
    expect(text).toBe('1\n2\n3\nrest');
  });

  it('ends what follows a log when the client goes', async () => {
    const response = await node.stream(logs('main', 'follow=true'));
    await once(response, 'data');
    response.destroy();
    expect((await node.get(logs('main'))).status).toBe(200);
  });

  it('runs a command with its streams apart, in the container’s environment, and tells its exit code', async () => {
    const { out, closed } = await exec(
      'main',
      ['sh', '-c', 'echo $GREETING; cat; echo e >&2; exit 7'],
      'input=1&output=1&error=1',
    ).then((session) => {
      session.socket.send(Buffer.from('\0some input\n'));
      session.socket.send(Buffer.from([255, 0]));
      return session;
    });
    await closed;
    expect(out[1]).toBe('hello\nsome input\n');
    expect(out[2]).toBe('e\n');
    expect(JSON.parse(out[3] ?? '')).toMatchObject({
      status: 'Failure',
      reason: 'NonZeroExitCode',
      details: { causes: [{ reason: 'ExitCode', message: '7' }] },
    });
  });

  it('runs a command on a terminal of the size that the client says', async () => {
    const script = 'read line; stty size; [ -t 1 ] && echo terminal; exit 3';
    const { socket, out, closed } = await exec('main', ['sh', '-c', script], 'input=1&output=1&tty=1');
    socket.send(Buffer.from('\u0004{"Width":91,"Height":37}'));
    await eventually('the terminal has its size', PATIENCE_MS, async () => {
      socket.send(Buffer.from('\0go\n'));
      return out[3] !== undefined;
    });
    await closed;
    expect(out[1]).toContain('terminal');
    expect(out[1]).toMatch(/37 91|0 0/);
    expect(out[3]).toContain('"3"');
  });

  it('carries much in both directions, and nothing is lost at the end', async () => {
    const { socket, out, closed } = await exec('main', ['cat'], 'input=1&output=1');
    const piece = Buffer.concat([Buffer.from([0]), Buffer.alloc(32_000, 'x')]);
    for (let sent = 0; sent < 100; sent += 1) socket.send(piece);
    socket.send(Buffer.from([255, 0]));
    await closed;
    expect(out[1]).toHaveLength(3_200_000);
    expect(out[3]).toBe(SUCCESS);
  });

  it('keeps what a command has said until somebody reads it, or nobody will', async () => {
    const id = idOf('main');
    const wanted = { stdin: false, stdout: true, stderr: false, tty: false };
    const { streams } = machine.runtime();
    const [read, unread] = await Promise.all([
      streams.exec(id, ['echo', 'said'], wanted),
      streams.exec(id, ['echo', 'said'], wanted),
    ]);
    if (read instanceof URL || unread instanceof URL) throw new Error('it is no server');
    await wait(1_500);
    let text = '';
    for await (const chunk of read.stdout?.pipe(new PassThrough()) ?? []) text += String(chunk);
    expect(text).toBe('said\n');
    expect(await read.ended).toBe(0);
    unread.end();
    expect(await unread.ended).toBe(0);
  });

  it('does not wait for what a command leaves behind', async () => {
    const { out, closed } = await exec('main', ['sh', '-c', 'sleep 30 & echo done'], 'output=1');
    await closed;
    expect(out[1]).toBe('done\n');
    expect(out[3]).toBe(SUCCESS);
  });

  it('ends a command with all that it has started when its client is killed', async () => {
    const id = idOf('main');
    const before = machine.processes(id).length;
    const { socket, out } = await exec(
      'main',
      ['sh', '-c', 'trap "" HUP; setsid sleep 3599 & echo on; wait'],
      'output=1',
    );
    await eventually('the command runs', PATIENCE_MS, async () => out[1] === 'on\n');
    const programs = () => machine.processes(id);
    await eventually('both run', PATIENCE_MS, async () => programs().length === before + 2);
    socket.terminate();
    await eventually('nothing is left', PATIENCE_MS, async () => programs().length === before);
  });

  it('attaches to what a container writes from then on', async () => {
    await run('talks', 'echo before; while [ ! -e /tmp/go ]; do sleep 0.1; done; echo after; sleep 0.2');
    const attached = await opened(stream('attach', 'talks', 'output=1&error=1'));
    const { closed } = await exec('talks', ['touch', '/tmp/go'], 'output=1');
    await closed;
    await attached.closed;
    expect(attached.out[1]).toBe('after\n');
    expect(attached.out[3]).toBe(SUCCESS);
  });
});

const textOf = async (from: Duplex): Promise<string> => {
  let text = '';
  for await (const chunk of from) text += String(chunk);
  return text;
};

describe.runIf(missing === undefined)('the server of an agent, over SPDY/3.1', { timeout: 60_000 }, () => {
  const client = async (url: string, protocol: string) => {
    const socket = await node.spdy(url, protocol);
    return createSpdyConnection(socket, { isClient: true, onStream: (one) => one.destroy() });
  };

  it('runs a command', async () => {
    const url = stream('exec', 'main', 'command=cat&input=1&output=1');
    const { open, closed } = await client(url, 'v4.channel.k8s.io');
    const [error, stdin, stdout] = ['error', 'stdin', 'stdout'].map((type) => open({ streamtype: type })) as [
      SpdyStream,
      SpdyStream,
      SpdyStream,
    ];
    stdin.end(Buffer.alloc(1_000_000, 'y'));
    expect((await textOf(stdout)).length).toBe(1_000_000);
    expect(await textOf(error)).toBe(SUCCESS);
    await closed;
  });

  it('forwards connections to a port, and says why one cannot be made', async () => {
    const echo = createServer((socket) => socket.pipe(socket));
    await once(echo.listen(0, '127.0.0.1'), 'listening');
    const { port } = echo.address() as { readonly port: number };
    const { open, end } = await client(`/portForward/default/web/${machine.pod.uid}`, 'portforward.k8s.io');
    const pair = (id: string, to: number) => {
      const headers = { port: String(to), requestid: id };
      return [open({ streamtype: 'error', ...headers }), open({ streamtype: 'data', ...headers })] as const;
    };
    const [error, data] = pair('0', port);
    error.end();
    data.end(Buffer.alloc(2_000_000, 'z'));
    expect((await textOf(data)).length).toBe(2_000_000);
    expect(await textOf(error)).toBe('');
    echo.close();
    await once(echo, 'close');
    const [refused, nothing] = pair('1', port);
    expect(await textOf(refused)).toContain(`error forwarding port ${port}`);
    expect(await textOf(nothing)).toBe('');
    end();
  });
});
