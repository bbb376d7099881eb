import { beforeEach, describe, expect, it } from 'vitest';
import { workPage } from '../../../shared/apiserver/work/work-page.ts';
import type { LiveRow } from '../../../shared/ports/rows.ts';
import {
  createTestApi,
  heartbeatPath,
  LEASES,
  NODES,
  nodeBody,
  PODS,
  podBody,
  statusOf,
  type TestApi,
} from './api.ts';

const WORK = '/apis/rollcall.dev/v1/nodes/n1/work';
const SECRETS = '/api/v1/namespaces/default/secrets';
const CONFIG_MAPS = '/api/v1/namespaces/default/configmaps';
let api: TestApi;
let uid: string;

beforeEach(async () => {
  api = createTestApi();
  uid = (await api.send('POST', NODES, { as: 'admin', body: nodeBody('n1') })).json.metadata.uid;
});

const asNode = (rest: object = {}) => ({ as: 'system:node:n1', nodeUid: uid, ...rest });
const create = async (path: string, body: object) =>
  (await api.send('POST', path, { as: 'admin', body })).json;
const addPod = (name: string, spec: object = {}, metadata: object = {}) => {
  const body = podBody(name, { nodeName: 'n1', ...spec });
  return create(PODS, { ...body, metadata: { ...body.metadata, ...metadata } });
};
const work = async (query = '') => api.send('GET', `${WORK}${query}`, asNode());
const names = (objects: readonly { metadata: { name: string } }[]) =>
  objects.map(({ metadata }) => metadata.name);

describe('the work of a node', () => {
  it('has its duties, its pods, and only the objects that those refer to', async () => {
    await create(NODES, nodeBody('n2'));
    for (const name of ['used', 'other']) {
      await create(CONFIG_MAPS, { metadata: { name }, data: { a: name } });
      await create(SECRETS, { metadata: { name } });
    }
    const volumes = [
      { name: 'a', configMap: { name: 'used' } },
      { name: 'b', secret: { secretName: 'used' } },
      { name: 'c', secret: { secretName: 'missing' } },
    ];
    await addPod('b', { volumes });
    await addPod('a', {}, {});
    await addPod('elsewhere', { nodeName: 'n2' });
    await addPod('nowhere', { nodeName: '' });
    const { code, json } = await work();
    expect(code).toBe(200);
    expect(json).toMatchObject({
      kind: 'NodeWork',
      apiVersion: 'rollcall.dev/v1',
      metadata: { name: 'n1', uid },
      clusterId: 'test',
      node: {
        unschedulable: false,
        taints: [{ key: 'node.kubernetes.io/not-ready', effect: 'NoSchedule' }],
      },
    });
    expect(names(json.pods)).toEqual(['a', 'b']);
    expect(names(json.configMaps)).toEqual(['kube-root-ca.crt', 'used']);
    expect(names(json.secrets)).toEqual(['used']);
    expect(json.metadata.continue).toBeUndefined();
  });

  it('has the ConfigMap that each namespace has, even if nobody has asked for it before', async () => {
    const volume = { name: 'a', configMap: { name: 'kube-root-ca.crt' } };
    await addPod('a', { volumes: [volume], automountServiceAccountToken: false });
    expect(names((await work()).json.configMaps)).toEqual(['kube-root-ca.crt']);
  });

  it('does not list mirror pods, nor what ended pods refer to', async () => {
    await addPod('mirror', {}, { annotations: { 'kubernetes.io/config.mirror': 'h' } });
    await create(SECRETS, { metadata: { name: 's' } });
    const pod = await addPod('done', { volumes: [{ name: 'b', secret: { secretName: 's' } }] });
    await api.send('PATCH', `${PODS}/${pod.metadata.name}/status`, {
      as: 'admin',
      type: 'application/merge-patch+json',
      body: { status: { phase: 'Succeeded' } },
    });
    const { json } = await work();
    expect([names(json.pods), names(json.secrets)]).toEqual([['done'], []]);
  });

  it('has the revision that a heartbeat announces', async () => {
    expect((await work()).json.workRevision).toBe('0');
    await api.heartbeats.bumpWorkRevision('n1', 1_700_000_000_000);
    const receipt = (await api.send('POST', heartbeatPath('n1'), asNode())).json;
    expect((await work()).json.workRevision).toBe('1700000000000');
    expect(receipt.workRevision).toBe('1700000000000');
    expect(receipt).not.toHaveProperty('directives');
  });

  it('is announced by each answer about the Lease of the node, and of no other Lease', async () => {
    await api.heartbeats.bumpWorkRevision('n1', 1_700_000_000_000);
    const made = await api.send('POST', LEASES, asNode({ body: { metadata: { name: 'n1' }, spec: {} } }));
    const path = `${LEASES}/n1`;
    const renewed = await api.send('PUT', path, asNode({ body: made.json }));
    const read = await api.send('GET', path, asNode());
    expect([made, renewed, read].map(({ headers }) => headers['rollcall-work-revision'])).toEqual(
      Array(3).fill('1700000000000'),
    );
    const foreign = { as: 'admin', body: { metadata: { name: 'l1' }, spec: {} } } as const;
    const { headers } = await api.send('POST', LEASES, foreign);
    expect(headers['rollcall-work-revision']).toBeUndefined();
  });

  it('is 304 until something of it changes', async () => {
    const pod = await addPod('a');
    const { etag } = (await work()).headers;
    const again = () => api.send('GET', WORK, asNode({ headers: { 'if-none-match': etag } }));
    expect([(await again()).code, (await again()).bytes.byteLength]).toEqual([304, 0]);
    await api.send('DELETE', `${PODS}/${pod.metadata.name}`);
    const changed = await again();
    expect([changed.code, changed.json.pods[0].metadata.deletionGracePeriodSeconds]).toEqual([200, 30]);
  });

  it('can be read line by line', async () => {
    const [a, b] = [await addPod('a'), await addPod('b')];
    await api.send('DELETE', `${PODS}/b`, { as: 'admin', body: { gracePeriodSeconds: 7 } });
    const { headers, bytes } = await work('?output=text');
    expect(headers['content-type']).toContain('text/plain');
    expect(new TextDecoder().decode(bytes).split('\n')).toEqual([
      'revision 0',
      'cordoned false',
      'taint NoSchedule node.kubernetes.io/not-ready',
      `run default a ${a.metadata.uid}`,
      `end default b ${b.metadata.uid} 7`,
      'complete',
      '',
    ]);
  });

  it.each([
    ['an admin', { as: 'admin' }, 200],
    ['a viewer, for it has Secrets', { as: 'viewer' }, 403],
    ['another node', { as: 'system:node:n2' }, 403],
    ['a token of an earlier Node', { as: 'system:node:n1', nodeUid: 'old' }, 401],
    ['nobody', {}, 403],
  ])('answers %s with %o', async (_who, sent, code) => {
    expect((await api.send('GET', WORK, sent)).code).toBe(code);
  });

  it('refuses an unknown output, a foreign position and a Node that is not there', async () => {
    expect(statusOf(await work('?output=yaml'))).toEqual([
      400,
      'BadRequest',
      'output must be json or text, not "yaml"',
    ]);
    expect(statusOf(await work('?continue=abc'))[0]).toBe(400);
    expect((await api.send('GET', WORK.replace('n1', 'n9'))).code).toBe(404);
  });
});

describe('pages of work', () => {
  const row = (name: string, size: number) =>
    ({
      key: { namespace: 'd', name },
      uid: name,
      revision: 1,
      object: { metadata: { name }, x: 'x'.repeat(size) },
    }) as unknown as LiveRow;
  const objects = {
    pods: [row('a', 10), row('b', 500), row('c', 10)],
    configMaps: [row('a', 10)],
    secrets: [row('z', 500)],
  };

  it('each have at least one object, and together all of them once', () => {
    const seen: string[] = [];
    let [after, pages] = [undefined as string | undefined, 0];
    do {
      const page = workPage(objects, after, 120);
      for (const [list, shown] of Object.entries(page.lists))
        seen.push(...names(shown).map((one) => `${list}/${one}`));
      after = page.next;
      pages += 1;
    } while (after !== undefined);
    expect(seen).toEqual(['pods/a', 'pods/b', 'pods/c', 'configMaps/a', 'secrets/z']);
    expect(pages).toBe(4);
  });

  it('is one for everything that fits', () => {
    expect(workPage(objects, undefined).next).toBeUndefined();
  });

  it('go on as of the first one', async () => {
    const data = { text: 'x'.repeat(700_000) };
    for (const name of ['one', 'two']) await create(CONFIG_MAPS, { metadata: { name }, data });
    await addPod('a', { volumes: ['one', 'two'].map((name) => ({ name, configMap: { name } })) });
    await api.heartbeats.bumpWorkRevision('n1', 5);
    const first = (await work()).json;
    await api.heartbeats.bumpWorkRevision('n1', 6);
    const second = (await work(`?continue=${first.metadata.continue}`)).json;
    expect(
      [first, second].map((page) => [names(page.pods), names(page.configMaps), page.workRevision]),
    ).toEqual([
      [['a'], ['kube-root-ca.crt', 'one'], '5'],
      [[], ['two'], '5'],
    ]);
    expect(second.metadata.continue).toBeUndefined();
  });
});

describe('a report about work', () => {
  const report = (pods: unknown, as: object = asNode()) => api.send('POST', WORK, { ...as, body: { pods } });
  const which = ({ metadata: { namespace, name, uid: own } }: { metadata: Record<string, string> }) => ({
    namespace,
    name,
    uid: own,
  });

  it('merges statuses and lets deleted pods go, each answered by itself', async () => {
    const [a, b] = [await addPod('a'), await addPod('b')];
    await api.send('DELETE', `${PODS}/b`);
    const { code, json } = await report([
      { ...which(a), status: { phase: 'Running' } },
      { ...which(b), status: { phase: 'Failed' }, gone: true },
      { namespace: 'default', name: 'c', uid: 'u', gone: true },
    ]);
    expect([code, json.kind]).toEqual([200, 'NodeWorkReceipt']);
    expect(json.items.map((one: { name: string; code: number }) => [one.name, one.code])).toEqual([
      ['a', 200],
      ['b', 200],
      ['c', 404],
    ]);
    expect((await api.send('GET', `${PODS}/a`)).json.status.phase).toBe('Running');
    expect((await api.send('GET', `${PODS}/b`)).code).toBe(404);
    expect(names((await work()).json.pods)).toEqual(['a']);
  });

  it('does not end a pod that nobody deleted, nor one of the same name that came later', async () => {
    const a = await addPod('a');
    const [kept] = (await report([{ ...which(a), gone: true }])).json.items;
    expect(kept).toMatchObject({ code: 409, message: expect.stringContaining('is not being deleted') });
    await api.send('DELETE', `${PODS}/a`);
    const [other] = (await report([{ ...which(a), uid: 'older', gone: true }])).json.items;
    expect(other.code).toBe(409);
    expect((await api.send('GET', `${PODS}/a`)).code).toBe(200);
  });

  it('is of no use for pods of other nodes', async () => {
    await create(NODES, nodeBody('n2'));
    const other = await addPod('other', { nodeName: 'n2' });
    await api.send('DELETE', `${PODS}/other`);
    const { json } = await report([{ ...which(other), status: { phase: 'Failed' }, gone: true }]);
    expect(json.items[0].code).toBe(403);
  });

  it.each([
    [undefined, 'pods: Required value'],
    [[{ namespace: 'd', name: 'a', gone: true }], 'pods[0].uid: Required value'],
    [[{ namespace: 'd', name: 'a', uid: 'u' }], 'must have a status, or gone: true'],
    [[{ namespace: 'd', name: 'a', uid: 'u', gone: 'yes' }], 'must be true or false'],
    [[{ namespace: 'd', name: 'a', uid: 'u', gone: true, x: 1 }], 'pods[0].x'],
    [[1], 'pods[0]'],
    [
      Array.from({ length: 2 }, () => ({ namespace: 'd', name: 'a', uid: 'u', gone: true })),
      'pods[1]: Duplicate',
    ],
    [Array.from({ length: 51 }, () => ({})), 'must be at most 50'],
  ])('with %j is refused as a whole', async (pods, text) => {
    const [code, , message] = statusOf(await report(pods));
    expect([code, message]).toEqual([422, expect.stringContaining(text)]);
  });
});
