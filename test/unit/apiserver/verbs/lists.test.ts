import { gunzipSync } from 'node:zlib';
import { beforeEach, describe, expect, it } from 'vitest';
import type { Json, TestApi } from '../../../support/servers/api.ts';
import { createTestApi, MERGE, NODES, nodeBody, PODS, podBody, START } from '../../../support/servers/api.ts';

let api: TestApi;

beforeEach(() => {
  api = createTestApi();
});

const namesOf = ({ items }: Json): readonly string[] =>
  items.map(({ metadata }: { metadata: { name: string } }) => metadata.name);
const list = async (query: string) => (await api.send('GET', `${NODES}?${query}`)).json;

const createNodes = async (...names: readonly string[]) => {
  for (const name of names) {
    const labels = { tier: name === 'n2' ? 'b' : 'a' };
    await api.send('POST', NODES, { as: 'admin', body: { metadata: { name, labels } } });
  }
};

describe('a list', () => {
  it('has a resourceVersion, and items without kind', async () => {
    await createNodes('n2', 'n1');
    const nodes = await list('');
    expect(nodes).toMatchObject({
      kind: 'NodeList',
      apiVersion: 'v1',
      metadata: { resourceVersion: expect.any(String) },
    });
    expect(namesOf(nodes)).toEqual(['n1', 'n2']);
    expect(nodes.items[0].kind).toBeUndefined();
  });

  it.each([
    ['labelSelector=tier%3Da', ['n1', 'n3']],
    ['fieldSelector=metadata.name%3Dn2', ['n2']],
    ['fieldSelector=spec.unschedulable%3Dtrue', ['n3']],
    ['labelSelector=tier%3Da&fieldSelector=metadata.name!%3Dn1', ['n3']],
  ])('selects by %s', async (query, names) => {
    await createNodes('n1', 'n2', 'n3');
    await api.send('PATCH', `${NODES}/n3`, {
      as: 'admin',
      body: { spec: { unschedulable: true } },
      type: MERGE,
    });
    expect(namesOf(await list(query))).toEqual(names);
  });

  it('has pages that all show one revision', async () => {
    await createNodes('n1', 'n2', 'n3');
    const first = await list('limit=2&labelSelector=tier');
    expect(namesOf(first)).toEqual(['n1', 'n2']);
    await createNodes('n4');
    const second = await list(`limit=2&labelSelector=tier&continue=${first.metadata.continue}`);
    expect(namesOf(second)).toEqual(['n3']);
    expect(second.metadata).toEqual({ resourceVersion: first.metadata.resourceVersion });
  });

  it('can be requested at a resourceVersion', async () => {
    await createNodes('n1');
    const { metadata } = await list('');
    await createNodes('n2');
    expect(
      namesOf(await list(`resourceVersion=${metadata.resourceVersion}&resourceVersionMatch=Exact`)),
    ).toEqual(['n1']);
    expect(namesOf(await list(`resourceVersion=${metadata.resourceVersion}`))).toEqual(['n1', 'n2']);
  });

  it('is cut if the answer would be too large, and compressed if the client accepts that', async () => {
    const annotations = { large: 'x'.repeat(250_000) };
    const names = Array.from({ length: 21 }, (_, index) => `p${String(index).padStart(2, '0')}`);
    for (const name of names)
      await api.send('POST', PODS, {
        as: 'admin',
        body: { ...podBody(name), metadata: { name, annotations } },
      });
    const first = await api.send('GET', PODS, { as: 'admin', headers: { 'accept-encoding': 'gzip, br' } });
    expect(first.headers['content-encoding']).toBe('gzip');
    // XFL of RFC 1952: the fastest algorithm.
    expect(first.bytes[8]).toBe(4);
    const page = JSON.parse(gunzipSync(first.bytes).toString());
    expect(page.items.length).toBeLessThan(21);
    const rest = (await api.send('GET', `${PODS}?continue=${page.metadata.continue}`)).json;
    expect([...namesOf(page), ...namesOf(rest)]).toEqual(names);
  });
});

describe('zones', () => {
  const zone = (id: string, pass: number) => ({
    id,
    key: `r:\0:${id}`,
    state: 'Normal' as const,
    size: 3,
    notReady: 1,
    limiter: { rate: 0.1, nextAt: START },
    waiting: ['n1'],
    waitingCount: 1,
    pass,
    updatedAt: START,
  });

  it('show the results of the passes, except those from before the end of a full disruption', async () => {
    await api.control.startPass(START, START, 1_000);
    await api.control.writeZone(zone('old', 1), undefined);
    await api.control.writeZone(zone('new', 5), undefined);
    await api.control.raiseClockFloor(START, 5);
    const zones = (await api.send('GET', '/apis/rollcall.dev/v1/zones', { as: 'viewer' })).json;
    expect(zones.kind).toBe('ZoneList');
    expect(namesOf(zones)).toEqual(['new']);
    expect((await api.send('GET', '/apis/rollcall.dev/v1/zones/new')).json).toMatchObject({
      kind: 'Zone',
      spec: { region: 'r', zone: 'new' },
      status: { state: 'Normal', nodes: 3, notReadyNodes: 1, evictionRate: 0.1, waiting: ['n1'] },
    });
    expect((await api.send('GET', '/apis/rollcall.dev/v1/zones/old')).json.message).toBe(
      'zones.rollcall.dev "old" not found',
    );
  });
});

describe('discovery', () => {
  it('lists only what is served', async () => {
    const core = (await api.send('GET', '/api/v1')).json;
    expect(core).toMatchObject({ kind: 'APIResourceList', groupVersion: 'v1' });
    expect(core.resources.map(({ name }: { name: string }) => name)).toEqual([
      'bindings',
      'configmaps',
      'endpoints',
      'events',
      'limitranges',
      'namespaces',
      'namespaces/finalize',
      'namespaces/status',
      'nodes',
      'nodes/drain',
      'nodes/explain',
      'nodes/proxy',
      'nodes/status',
      'persistentvolumeclaims',
      'persistentvolumeclaims/status',
      'persistentvolumes',
      'persistentvolumes/status',
      'pods',
      'pods/attach',
      'pods/binding',
      'pods/ephemeralcontainers',
      'pods/eviction',
      'pods/exec',
      'pods/explain',
      'pods/log',
      'pods/portforward',
      'pods/status',
      'podtemplates',
      'replicationcontrollers',
      'replicationcontrollers/scale',
      'replicationcontrollers/status',
      'resourcequotas',
      'resourcequotas/status',
      'secrets',
      'serviceaccounts',
      'serviceaccounts/token',
      'services',
      'services/status',
    ]);
    expect(core.resources.find(({ name }: { name: string }) => name === 'nodes')).toEqual({
      name: 'nodes',
      singularName: 'node',
      namespaced: false,
      kind: 'Node',
      verbs: ['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'update', 'watch'],
      shortNames: ['no'],
    });
    const groups = (await api.send('GET', '/apis')).json.groups;
    expect(groups.map(({ name }: { name: string }) => name)).toEqual([
      'apps',
      'events.k8s.io',
      'authentication.k8s.io',
      'authorization.k8s.io',
      'batch',
      'networking.k8s.io',
      'policy',
      'storage.k8s.io',
      'apiextensions.k8s.io',
      'scheduling.k8s.io',
      'coordination.k8s.io',
      'node.k8s.io',
      'discovery.k8s.io',
      'resource.k8s.io',
      'metrics.k8s.io',
      'rollcall.dev',
    ]);
    const own = (await api.send('GET', '/apis/rollcall.dev/v1')).json;
    expect(own.resources.map(({ name }: { name: string }) => name)).toEqual([
      'heartbeats',
      'holds',
      'holds/status',
      'nodelifecyclepolicies',
      'nodelifecyclepolicies/status',
      'nodemaintenances',
      'nodemaintenances/status',
      'nodes/channel',
      'nodes/heartbeat',
      'nodes/shutdown',
      'nodes/token',
      'nodes/work',
      'relays',
      'relays/token',
      'sessions',
      'signingkeys',
      'zones',
      'zones/explain',
    ]);
  });

  it.each([
    ['/api', 200],
    ['/apis/coordination.k8s.io', 200],
    ['/apis/coordination.k8s.io/v1', 200],
    ['/apis/coordination.k8s.io/v2', 404],
    ['/apis/nope/v1', 404],
    ['/nope', 404],
  ])('answers %s with %s', async (path, code) => {
    expect((await api.send('GET', path, { as: 'admin' })).code).toBe(code);
  });

  it('has the four namespaces', async () => {
    const { json } = await api.send('GET', '/api/v1/namespaces');
    expect(namesOf(json)).toEqual(['default', 'kube-node-lease', 'kube-public', 'kube-system']);
    expect((await api.send('GET', '/api/v1/namespaces/default')).json.status.phase).toBe('Active');
  });

  it('answers with a Table if that is the first accepted type', async () => {
    await api.send('POST', NODES, { as: 'admin', body: nodeBody('n1') });
    const accept = 'application/json;as=Table;v=v1;g=meta.k8s.io,application/json';
    expect((await api.send('GET', NODES, { as: 'admin', headers: { accept } })).json.kind).toBe('Table');
  });
});
