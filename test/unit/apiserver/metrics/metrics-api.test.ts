import { describe, expect, it } from 'vitest';
import { AnswerTooLarge } from '../../../../shared/kube/json/bounded-answer.ts';
import type { NodeFetch, NodeToAsk } from '../../../../shared/ports/outside/node-fetch.ts';
import {
  createTestApi,
  NODES,
  PODS,
  podBody,
  readyNode,
  statusOf,
  type TestApi,
} from '../../../support/servers/api.ts';

const METRICS = '/apis/metrics.k8s.io/v1beta1';
const HEARD = '2026-03-01T12:00:00Z';

const used = (nanoCores: number, bytes: number) => ({
  cpu: { usageNanoCores: nanoCores },
  memory: { workingSetBytes: bytes },
});

/** Each node tells of itself and of all running pods, its own or not. */
const setUp = async (silent: readonly string[] = [], hostile: readonly string[] = []) => {
  const asked: string[] = [];
  const state: { pods: readonly object[] } = { pods: [] };
  const nodeFetch: NodeFetch = async ({ name }) => {
    asked.push(name);
    if (silent.includes(name)) throw new Error('no route to host');
    if (hostile.includes(name)) throw new AnswerTooLarge('the answer has more than 4 MiB');
    const body = JSON.stringify({ node: used(250_000_000, 2 ** 30), pods: state.pods });
    return { status: 200, body: new TextEncoder().encode(body) };
  };
  const tooLarge: string[] = [];
  const onUsageTooLarge = ({ name }: NodeToAsk, why: string): void => void tooLarge.push(`${name}: ${why}`);
  const api = createTestApi({ nodeFetch, onUsageTooLarge });
  for (const [name, rack] of [
    ['n1', '7'],
    ['n2', '8'],
  ] as const)
    await api.send('POST', NODES, {
      as: 'admin',
      body: { ...readyNode(name, HEARD), metadata: { name, labels: { rack } } },
    });
  await api.send('POST', NODES, { as: 'admin', body: { metadata: { name: 'off' } } });
  return { api, asked, state, tooLarge };
};

const runPod = async (api: TestApi, name: string, node: string, labels: object = {}): Promise<object> => {
  const body = podBody(name, { nodeName: node });
  const made = await api.send('POST', PODS, {
    as: 'admin',
    body: { ...body, metadata: { ...body.metadata, labels } },
  });
  await api.send('PATCH', `${PODS}/${name}/status`, {
    as: 'admin',
    type: 'application/merge-patch+json',
    body: { status: { phase: 'Running' } },
  });
  const { uid } = made.json.metadata;
  return { podRef: { namespace: 'default', name, uid }, containers: [{ name: 'c', ...used(1000, 4096) }] };
};

const namesOf = ({ items }: { items: readonly { metadata: { name: string } }[] }): readonly string[] =>
  items.map(({ metadata }) => metadata.name);

describe('metrics of nodes', () => {
  it('are those of nodes that are ready and answer', async () => {
    const { api, asked } = await setUp(['n2']);
    const { code, json } = await api.send('GET', `${METRICS}/nodes`);
    expect(code).toBe(200);
    expect(json).toMatchObject({ kind: 'NodeMetricsList', apiVersion: 'metrics.k8s.io/v1beta1' });
    expect(json.items).toEqual([
      {
        metadata: { name: 'n1', creationTimestamp: HEARD, labels: expect.objectContaining({ rack: '7' }) },
        timestamp: HEARD,
        window: '10s',
        usage: { cpu: '250m', memory: '1Gi' },
      },
    ]);
    expect(asked).toEqual(['n1', 'n2']);
  });

  it('are selected by labels and names, and come in pages; only the nodes of a page are asked', async () => {
    const { api, asked } = await setUp();
    const get = async (query: string) => (await api.send('GET', `${METRICS}/nodes?${query}`)).json;
    expect(namesOf(await get('labelSelector=rack%3D8'))).toEqual(['n2']);
    expect(asked).toEqual(['n2']);
    expect(namesOf(await get('fieldSelector=metadata.name%3Dn2'))).toEqual(['n2']);
    const first = await get('limit=1');
    expect(namesOf(first)).toEqual(['n1']);
    expect(namesOf(await get(`limit=2&continue=${first.metadata.continue}`))).toEqual(['n2']);
    expect(asked).toEqual(['n2', 'n1']);
  });

  it('of one node are an object, or not found', async () => {
    const { api } = await setUp(['n2']);
    const get = async (name: string) => (await api.send('GET', `${METRICS}/nodes/${name}`)).json;
    expect(await get('n1')).toMatchObject({ kind: 'NodeMetrics', usage: { cpu: '250m' } });
    expect(await get('n2')).toMatchObject({
      code: 404,
      message: 'nodemetrics.metrics.k8s.io "n2" not found',
      details: { name: 'n2', group: 'metrics.k8s.io', kind: 'nodemetrics' },
    });
    expect((await get('off')).message).toBe('nodemetrics.metrics.k8s.io "off" not found');
    expect((await get('n3')).message).toBe('nodes "n3" not found');
  });
});

it('a node whose answer is too large is absent, and the operator hears why, however many ask (J-197)', async () => {
  const { api, tooLarge } = await setUp([], ['n2']);
  for (let times = 0; times < 3; times += 1)
    expect(namesOf((await api.send('GET', `${METRICS}/nodes`)).json)).toEqual(['n1']);
  expect(tooLarge).toEqual(['n2: the answer has more than 4 MiB']);
});

describe('metrics of pods', () => {
  it('are those that their own nodes tell', async () => {
    const { api, asked, state } = await setUp();
    state.pods = [
      await runPod(api, 'web', 'n1', { app: 'web' }),
      await runPod(api, 'db', 'n2', { app: 'db' }),
      await runPod(api, 'lost', 'off'),
      await runPod(api, 'unbound', ''),
    ];
    const get = async (path: string) => (await api.send('GET', `${METRICS}/${path}`)).json;
    const all = await get('pods');
    expect(all.kind).toBe('PodMetricsList');
    expect(namesOf(all)).toEqual(['db', 'web']);
    expect(all.items[1].containers).toEqual([{ name: 'c', usage: { cpu: '1u', memory: '4Ki' } }]);
    expect(namesOf(await get('namespaces/default/pods?labelSelector=app%3Dweb'))).toEqual(['web']);
    expect(namesOf(await get('namespaces/kube-system/pods'))).toEqual([]);
    expect(asked.toSorted()).toEqual(['n1', 'n2']);
    expect(await get('namespaces/default/pods/db')).toMatchObject({ kind: 'PodMetrics' });
    expect((await get('namespaces/default/pods/lost')).message).toBe(
      'podmetrics.metrics.k8s.io "default/lost" not found',
    );
    expect((await get('namespaces/default/pods/none')).message).toBe('pods "none" not found');
  });
});

describe('who may ask', () => {
  it('are readers, and no nodes', async () => {
    const { api } = await setUp();
    expect((await api.send('GET', `${METRICS}/pods`, { as: 'viewer' })).code).toBe(200);
    const node = await api.send('GET', `${METRICS}/pods`, { as: 'system:node:n1' });
    expect(statusOf(node)).toEqual([
      403,
      'Forbidden',
      'pods.metrics.k8s.io is forbidden: User "system:node:n1" cannot list resource "pods" in API group "metrics.k8s.io" at the cluster scope',
    ]);
    expect((await api.send('POST', `${METRICS}/nodes`, { as: 'admin', body: {} })).code).toBe(405);
  });

  it('is told what to use where nodes cannot be reached', async () => {
    const { code, json } = await createTestApi().send('GET', `${METRICS}/nodes`);
    expect(code).toBe(501);
    expect(json.message).toContain('start "rollcall proxy" where they can, and use its kubeconfig');
  });
});

it('the group is discovered, so that kubectl top asks', async () => {
  const { json } = await createTestApi().send('GET', METRICS);
  expect(json.resources).toEqual([
    { name: 'nodes', singularName: '', namespaced: false, kind: 'NodeMetrics', verbs: ['get', 'list'] },
    { name: 'pods', singularName: '', namespaced: true, kind: 'PodMetrics', verbs: ['get', 'list'] },
  ]);
});
