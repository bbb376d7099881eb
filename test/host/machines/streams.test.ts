/** A real host passes logs and upgrades to a node's server, directly or by a channel; kubectl reads them. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { request } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Duplex } from 'node:stream';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createApiClient, expectOk } from '../../../shared/client/api-client.ts';
import { eventually } from '../../support/clocks/eventually.ts';
import { type FakeChannel, openFakeChannel } from '../../support/servers/fake-agent-channel.ts';
import { type FakeNodeServer, startFakeNodeServer } from '../../support/servers/fake-node-server.ts';
import { type HostProcess, startHostProcess } from '../../support/servers/host-process.ts';
import { hasKubectl, KUBECTL, kubectlEnvironment, runKubectl } from '../../support/shell/kubectl.ts';

const folder = mkdtempSync(join(tmpdir(), 'rollcall-streams-'));
const PODS = '/api/v1/namespaces/default/pods';
let host: HostProcess;
let node: FakeNodeServer;
let ca: string;
let channel: FakeChannel | undefined;
const env = kubectlEnvironment(join(folder, 'host', 'kubeconfig'), folder);

/** A Node with this port, and a pod on it. */
const addNode = async (name: string, port: number): Promise<void> => {
  const annotations = { 'rollcall.dev/serving-certificate': node.fingerprint };
  const status = {
    addresses: [{ type: 'InternalIP', address: '127.0.0.1' }],
    daemonEndpoints: { kubeletEndpoint: { Port: port } },
  };
  await host.send('POST', '/api/v1/nodes', { metadata: { name, annotations }, status });
  const spec = { nodeName: name, containers: [{ name: 'c', image: 'i' }] };
  await host.send('POST', PODS, { metadata: { name: `on-${name}` }, spec });
};

beforeAll(async () => {
  host = await startHostProcess(join(folder, 'host'));
  ca = readFileSync(join(folder, 'host', 'ca.crt'), 'utf8');
  node = await startFakeNodeServer();
  await addNode('near', node.port);
  // Nobody listens on port 1.
  await addNode('behind-nat', 1);
});

afterAll(async () => {
  channel?.close();
  await node?.close();
  await host?.stop();
  rmSync(folder, { recursive: true, force: true });
});

const follow = (pod: string) => {
  const child = spawn(KUBECTL, ['logs', '-f', pod], { env, stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk: Buffer) => {
      output += chunk.toString();
    });
  const ended = once(child, 'close').then(([code]) => code as number | null);
  return { output: () => output, ended };
};

const seen = (what: string, look: () => boolean): Promise<true> =>
  eventually(what, 20_000, async () => look() || undefined, { seen: host.output });

describe.runIf(hasKubectl)('kubectl', { timeout: 60_000 }, () => {
  it('logs: prints what the node has sent, and follows it to its end', async () => {
    expect(await runKubectl(env, ['logs', 'on-near', '--tail=2'])).toBe('line 1\nline 2\n');
    expect(node.asked.at(-1)?.line).toBe('GET /containerLogs/default/on-near/c?tailLines=2');
    const { output, ended } = follow('on-near');
    await seen('the first line', () => output() === 'line 1\n');
    node.following.at(-1)?.end('the last one\n');
    expect([await ended, output()]).toEqual([0, 'line 1\nthe last one\n']);
  });

  it('get --raw: reads a node through its proxy', async () => {
    expect(await runKubectl(env, ['get', '--raw', '/api/v1/nodes/near/proxy/metrics'])).toBe(
      'line 1\nline 2\n',
    );
  });

  it('logs: the errors are those of Kubernetes', async () => {
    const refused = runKubectl(env, ['logs', 'on-near', '-c', 'other']);
    await expect(refused).rejects.toThrow(/container other is not valid for pod on-near/);
  });

  it('logs: a node behind NAT opens a channel when its beat and its work say so', async () => {
    const path = '/apis/rollcall.dev/v1/nodes/behind-nat';
    const client = createApiClient(host.url, ca);
    const made = await expectOk<{ status: { token: string } }>(
      client.call('POST', `${path}/token`, host.adminToken),
    );
    const { token } = made.status;
    const beat = async () =>
      (await expectOk<{ workRevision: string }>(client.call('POST', `${path}/heartbeat`, token, {})))
        .workRevision;
    const work = () =>
      expectOk<{ workRevision: string; channel?: { id: string } }>(client.call('GET', `${path}/work`, token));
    await eventually(
      'the work is known',
      10_000,
      async () => (await beat()) === (await work()).workRevision || undefined,
    );
    const printed = runKubectl(env, ['logs', 'on-behind-nat']);
    const before = await work();
    await eventually('the beat announces the call', 10_000, async () => {
      if ((await beat()) === before.workRevision) return undefined;
      return (await work()).channel;
    });
    channel = await openFakeChannel(node, { url: `${host.url}${path}/channel`, token, ca });
    expect(await printed).toBe('line 1\nline 2\n');
    client.close();
  });

  it('logs -f: ends when the host stops, as a log that ends', async () => {
    const [direct, far] = [follow('on-near'), follow('on-behind-nat')];
    await seen('the first lines', () => [direct, far].every(({ output }) => output() === 'line 1\n'));
    expect(await host.stop()).toBe(0);
    expect(await Promise.all([direct.ended, far.ended])).toEqual([0, 0]);
    await seen('the node has no connection left', () => node.open.size === 0);
    host = await startHostProcess(join(folder, 'host'));
  });
});

describe('the host', { timeout: 60_000 }, () => {
  it('hands an upgrade over, with a token that is worth nothing elsewhere', async () => {
    const { hostname, port } = new URL(host.url);
    const sent = request({
      hostname,
      port,
      ca,
      method: 'POST',
      path: `${PODS}/on-near/exec?command=sh&stdin=true&stdout=true`,
      headers: { authorization: `Bearer ${host.adminToken}`, connection: 'Upgrade', upgrade: 'SPDY/3.1' },
    }).end();
    const [, stream, head] = (await once(sent, 'upgrade')) as [unknown, Duplex, Buffer];
    let got = head.toString();
    stream
      .on('error', () => undefined)
      .on('data', (chunk: Buffer) => {
        got += chunk.toString();
      });
    stream.write('bytes');
    await seen('the echo', () => got === 'hello bytes');
    const { line, headers } = node.asked.at(-1) ?? { line: '', headers: {} };
    expect(line).toMatch(/^POST \/exec\/default\/on-near\/[\w-]+\/c\?command=sh&input=1&output=1$/);
    const client = createApiClient(host.url, ca);
    const stolen = headers.authorization?.replace('Bearer ', '') ?? '';
    expect((await client.call('GET', PODS, stolen)).status).toBe(401);
    client.close();
    stream.destroy();
    await seen('the node has no connection left', () => node.open.size === 0);
  });
});
