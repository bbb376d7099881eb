/** A node that says what it likes, with its own token: what the control plane believes of it, and what it gets. Each request is first one that is allowed. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ApiClient, createApiClient } from '../../shared/client/api-client.ts';
import type { Node } from '../../shared/kube/types/core.ts';
import { machineDoubt, verifiedMachine } from '../../shared/rules/cloud/verified-machine.ts';
import { printedLine } from '../support/agent/machines/agent-process.ts';
import { eventually } from '../support/clocks/eventually.ts';
import { type FakeNodeServer, startFakeNodeServer } from '../support/servers/fake-node-server.ts';
import { type HostProcess, startHostProcess } from '../support/servers/host-process.ts';

const PATIENCE_MS = 60_000;
const NODES = '/api/v1/nodes';
const SECRETS = '/api/v1/namespaces/default/secrets';
const USAGES = '/apis/metrics.k8s.io/v1beta1/nodes';

/** 32 MiB of values that cost a reader much more memory than that. */
const BOMB = `{"node":{"nodeName":"bomb"},"pods":[${'{},'.repeat((32 * 2 ** 20) / 3)}{}]}`;

const usageOf = (name: string): object => ({
  node: {
    nodeName: name,
    cpu: { time: new Date().toISOString(), usageNanoCores: 1e8, usageCoreNanoSeconds: 1e9 },
    memory: { time: new Date().toISOString(), workingSetBytes: 1e6 },
  },
  pods: [],
});

describe('a node that lies', { timeout: 3 * PATIENCE_MS }, () => {
  const folder = mkdtempSync(join(tmpdir(), 'rollcall-lies-'));
  let host: HostProcess;
  let client: ApiClient;
  let bootstrap: string;
  const servers: FakeNodeServer[] = [];

  const codeOf = async (token: string, method: string, path: string, body?: object): Promise<number> =>
    (await client.call(method, path, token, body)).status;

  /** Its own token. */
  const joined = async (name: string): Promise<string> => {
    const made = await codeOf(bootstrap, 'POST', NODES, { metadata: { name } });
    expect(made).toBe(201);
    const { body } = await client.call('POST', `/apis/rollcall.dev/v1/nodes/${name}/token`, bootstrap, {});
    return (body as { readonly status: { readonly token: string } }).status.token;
  };
  const patch = (token: string, name: string, change: object, below = ''): Promise<number> =>
    codeOf(token, 'PATCH', `${NODES}/${name}${below}`, change);
  const serve = async (name: string, summary: () => object | string): Promise<FakeNodeServer> => {
    const server = await startFakeNodeServer({ summary });
    servers.push(server);
    const token = await joined(name);
    const annotations = { 'rollcall.dev/serving-certificate': server.fingerprint };
    expect(await patch(token, name, { metadata: { annotations } })).toBe(200);
    const now = new Date().toISOString().replace(/\.\d+Z$/, 'Z');
    const ready = { type: 'Ready', status: 'True', reason: 'KubeletReady', message: 'm' };
    const status = {
      capacity: { cpu: '4', memory: '8Gi' },
      conditions: [{ ...ready, lastHeartbeatTime: now, lastTransitionTime: now }],
      addresses: [{ type: 'InternalIP', address: '127.0.0.1' }],
      daemonEndpoints: { kubeletEndpoint: { Port: server.port } },
    };
    expect(await patch(token, name, { status }, '/status')).toBe(200);
    return server;
  };
  const usages = async (): Promise<readonly string[]> =>
    (await host.get<{ readonly items: readonly Node[] }>(USAGES)).items.map(({ metadata }) => metadata.name);

  beforeAll(async () => {
    host = await startHostProcess(folder);
    client = createApiClient(host.url, readFileSync(join(folder, 'ca.crt'), 'utf8'));
    bootstrap = /'([^']+)'/.exec(await printedLine(folder))?.[1] ?? '';
  }, PATIENCE_MS);

  afterAll(async () => {
    client.close();
    await host.stop();
    for (const server of servers) await server.close();
    rmSync(folder, { recursive: true });
  });

  it('costs the control plane and other nodes nothing with 32 MiB of figures, and is not asked again', async () => {
    await serve('honest', () => usageOf('honest'));
    await eventually('figures are shown', PATIENCE_MS, async () => (await usages()).includes('honest'));
    const server = await serve('bomb', () => BOMB);
    await eventually('it was asked', PATIENCE_MS, async () => {
      await usages();
      return server.asked.length > 0;
    });
    expect(await host.get('/livez')).toBeDefined();
    await eventually('an Event tells it', PATIENCE_MS, async () =>
      JSON.stringify(await host.get('/api/v1/events')).includes('UsageTooLarge'),
    );
    const times = server.asked.length;
    expect(await usages()).toEqual(['honest']);
    expect(server.asked).toHaveLength(times);
  });

  it('is no machine because it says so: its word of another one’s is not verified, and it cannot verify it', async () => {
    const [victim, evil] = [await joined('victim'), await joined('evil')];
    const named = (name: string) => ({ spec: { providerID: `metal://rack7/${name}` } });
    const verified = {
      metadata: { annotations: { 'rollcall.dev/machine': 'metal://rack7/victim operator' } },
    };
    expect(await patch(victim, 'victim', named('victim'))).toBe(200);
    expect(await patch(host.adminToken, 'victim', verified)).toBe(200);
    expect(await patch(evil, 'evil', named('victim'))).toBe(200);
    expect(await patch(evil, 'evil', verified)).toBe(403);
    expect(await patch(evil, 'evil', named('third'))).toBeGreaterThanOrEqual(403);
    const taint = { key: 'node.kubernetes.io/out-of-service', effect: 'NoExecute' };
    expect(await patch(evil, 'evil', { spec: { taints: [taint] } })).toBe(403);
    const [of, other] = await Promise.all(
      ['victim', 'evil'].map((name) => host.get<Node>(`${NODES}/${name}`)),
    );
    expect(of && verifiedMachine(of)).not.toBe('');
    expect(other && [verifiedMachine(other), machineDoubt(other)]).toEqual(['', 'MachineNotVerified']);
  });

  it('does not end its drain, and says nothing of other nodes', async () => {
    const evil = await joined('drained');
    const cordon = { spec: { unschedulable: true } };
    expect(await patch(evil, 'drained', { metadata: { labels: { mine: 'yes' } } })).toBe(200);
    expect(await patch(host.adminToken, 'drained', cordon)).toBe(200);
    expect(await patch(evil, 'drained', { spec: { unschedulable: null } })).toBe(403);
    expect(await patch(evil, 'drained', { spec: { unschedulable: false } })).toBe(403);
    expect(await patch(evil, 'victim', { metadata: { labels: { mine: 'yes' } } })).toBe(403);
    expect(await patch(evil, 'victim', { status: { conditions: [] } }, '/status')).toBe(403);
    expect(await codeOf(evil, 'POST', '/apis/rollcall.dev/v1/nodes/victim/heartbeat', {})).toBe(403);
    expect((await host.get<Node>(`${NODES}/drained`)).spec?.unschedulable).toBe(true);
  });

  it('reads the Secrets of its own pods alone', async () => {
    const reader = await joined('reader');
    for (const name of ['own', 'foreign'])
      await host.send('POST', SECRETS, { metadata: { name }, stringData: { password: 'hunter2' } });
    const podOf = (nodeName: string, secretName: string) => ({
      metadata: { name: `of-${nodeName}` },
      spec: {
        nodeName,
        containers: [{ name: 'c', image: 'i', envFrom: [{ secretRef: { name: secretName } }] }],
      },
    });
    for (const pod of [podOf('reader', 'own'), podOf('victim', 'foreign')])
      await host.send('POST', '/api/v1/namespaces/default/pods', pod);
    expect(await codeOf(reader, 'GET', `${SECRETS}/own`)).toBe(200);
    expect(await codeOf(reader, 'GET', `${SECRETS}/foreign`)).toBe(403);
    expect(await codeOf(reader, 'GET', SECRETS)).toBe(403);
  });

  it('cannot be made in the place of another one by a bootstrap token, which reads nothing', async () => {
    const token = '/apis/rollcall.dev/v1/nodes/victim/token';
    expect(await codeOf(bootstrap, 'POST', token, {})).toBeGreaterThanOrEqual(403);
    expect(await codeOf(bootstrap, 'GET', `${SECRETS}/own`)).toBe(403);
    expect(await codeOf(bootstrap, 'PATCH', `${NODES}/victim`, { metadata: { labels: { a: 'b' } } })).toBe(
      403,
    );
  });
});
