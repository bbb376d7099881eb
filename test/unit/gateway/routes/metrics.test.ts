import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { MERGE, NODES, PODS, podBody } from '../../../support/servers/api.ts';
import { type FakeNodeServer, startFakeNodeServer } from '../../../support/servers/fake-node-server.ts';
import { createGatewayWorld, type GatewayWorld } from '../../../support/servers/gateway-world.ts';

const METRICS = '/apis/metrics.k8s.io/v1beta1';
const USED = { cpu: { usageNanoCores: 250_000_000 }, memory: { workingSetBytes: 2 ** 30 } };

let world: GatewayWorld;
let node: FakeNodeServer;
let pods: readonly object[];

const addNode = (name: string, fingerprint: string, port: number) =>
  world.api.send('POST', NODES, {
    as: 'admin',
    body: {
      metadata: { name, annotations: { 'rollcall.dev/serving-certificate': fingerprint } },
      status: {
        addresses: [{ type: 'InternalIP', address: '127.0.0.1' }],
        daemonEndpoints: { kubeletEndpoint: { Port: port } },
        conditions: [{ type: 'Ready', status: 'True' }],
      },
    },
  });

beforeEach(async () => {
  pods = [];
  [world, node] = await Promise.all([
    createGatewayWorld(),
    startFakeNodeServer({ summary: () => ({ node: USED, pods }) }),
  ]);
  await addNode('n1', node.fingerprint, node.port);
  // Somebody else listens there.
  await addNode('n2', '0'.repeat(64), node.port);
  const made = await world.api.send('POST', PODS, {
    as: 'admin',
    body: podBody('x', { nodeName: 'n1' }),
  });
  await world.api.send('PATCH', `${PODS}/x/status`, {
    as: 'admin',
    type: MERGE,
    body: { status: { phase: 'Running' } },
  });
  const { uid } = made.json.metadata;
  pods = [{ podRef: { namespace: 'default', name: 'x', uid }, containers: [{ name: 'c', ...USED }] }];
});

afterEach(() => Promise.all([world.stop(), node.close()]));

const get = async (path: string, as = 'viewer') => {
  const { response } = await world.openAs(await world.api.tokenFor(as), `${METRICS}${path}`, {});
  return { code: response.status, json: JSON.parse(Buffer.from(response.body).toString()) };
};

describe('metrics through the gateway', () => {
  it('are asked of the nodes by sessions that the API behind has granted', async () => {
    const { code, json } = await get('/nodes');
    expect(code).toBe(200);
    expect(json).toMatchObject({
      kind: 'NodeMetricsList',
      apiVersion: 'metrics.k8s.io/v1beta1',
      items: [{ metadata: { name: 'n1' }, usage: { cpu: '250m', memory: '1Gi' } }],
    });
    expect(json.items).toHaveLength(1);
    expect(node.asked.map(({ line }) => line)).toEqual(['GET /stats/summary?only_cpu_and_memory=true']);
  });

  it('of a node that answers too much are missing, and a line of the log says why', async () => {
    pods = Array.from({ length: 60_000 }, () => ({}));
    expect((await get('/nodes')).json.items).toEqual([]);
    const line = /what a node tells of its usage is not read.*n1/;
    expect(world.lines.filter((one) => line.test(one))).toHaveLength(1);
  });

  it('of pods and of one object come in the same form, and nodes are asked once', async () => {
    const all = await get('/pods');
    expect(all.json.items).toMatchObject([
      { metadata: { namespace: 'default', name: 'x' }, containers: [{ name: 'c', usage: { cpu: '250m' } }] },
    ]);
    const one = await get('/namespaces/default/pods/x');
    expect(one.json).toMatchObject({ kind: 'PodMetrics', metadata: { name: 'x' } });
    expect((await get('/nodes/n1')).json.kind).toBe('NodeMetrics');
    expect(node.asked).toHaveLength(1);
  });

  it('come in pages for clients that want them so', async () => {
    const first = await get('/nodes?limit=1');
    expect(first.json.items).toMatchObject([{ metadata: { name: 'n1' } }]);
    const next = await get(`/nodes?limit=1&continue=${first.json.metadata.continue}`);
    expect(next.json).toMatchObject({ kind: 'NodeMetricsList', items: [] });
    expect(next.json.metadata.continue).toBeUndefined();
  });

  it('are refused by the API behind, in its words', async () => {
    expect((await get('/nodes', 'system:node:n1')).code).toBe(403);
    expect((await get('/nodes/n3')).json.message).toBe('nodes "n3" not found');
    expect((await get('/nodes/n2')).json.message).toBe('nodemetrics.metrics.k8s.io "n2" not found');
    expect((await get('?')).json.kind).toBe('APIResourceList');
  });
});
