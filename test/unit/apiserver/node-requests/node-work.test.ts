import { beforeEach, describe, expect, it } from 'vitest';
import { readWorkPage, type WorkPage } from '../../../../shared/apiserver/node-requests/work-page.ts';
import type { WorkPlace } from '../../../../shared/apiserver/node-requests/work-token.ts';
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
} from '../../../support/servers/api.ts';

const WORK = '/apis/rollcall.dev/v1/nodes/n1/work';
const SECRETS = '/api/v1/namespaces/default/secrets';
const CLAIMS = '/api/v1/namespaces/default/persistentvolumeclaims';
const VOLUMES = '/api/v1/persistentvolumes';
const CLASSES = '/apis/node.k8s.io/v1/runtimeclasses';
const ACCOUNTS = '/api/v1/namespaces/default/serviceaccounts';
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
    await addPod('a');
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
    expect(names(json.pods).toSorted()).toEqual(['a', 'b']);
    expect(names(json.configMaps)).toEqual(['kube-root-ca.crt', 'used']);
    expect(names(json.secrets)).toEqual(['used']);
    expect(json.metadata.continue).toBeUndefined();
  });

  it('J-155: has the claims of its pods, and the volumes that are theirs', async () => {
    const claim = (name: string, volumeName: string) =>
      create(CLAIMS, {
        metadata: { name },
        spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1' } }, volumeName },
      });
    const volume = (name: string, claimName: string) =>
      create(VOLUMES, {
        metadata: { name },
        spec: {
          capacity: { storage: '1' },
          accessModes: ['ReadWriteOnce'],
          hostPath: { path: '/disk' },
          claimRef: { namespace: 'default', name: claimName },
        },
      });
    await claim('mine', 'v1');
    await claim('foreign', 'v2');
    await claim('unused', 'v3');
    await volume('v1', 'mine');
    await volume('v2', 'unused');
    await volume('v3', 'unused');
    const of = (name: string) => ({ name, persistentVolumeClaim: { claimName: name } });
    await addPod('a', { volumes: [of('mine'), of('foreign')] });
    await addPod('b', { volumes: [of('mine')] });
    const { json } = await work();
    expect(names(json.persistentVolumeClaims)).toEqual(['foreign', 'mine']);
    expect(names(json.persistentVolumes)).toEqual(['v1']);
  });

  it('J-176: has the RuntimeClasses and the image pull secrets of its pods, their own and those of their accounts', async () => {
    for (const name of ['gvisor', 'unused'])
      await create(CLASSES, { metadata: { name }, handler: `runs-${name}` });
    for (const name of ['own', 'of-account', 'unused']) await create(SECRETS, { metadata: { name } });
    await create(ACCOUNTS, { metadata: { name: 'robot' }, imagePullSecrets: [{ name: 'of-account' }] });
    await addPod('a', { runtimeClassName: 'gvisor', imagePullSecrets: [{ name: 'own' }] });
    await addPod('b', { serviceAccountName: 'robot' });
    const { json } = await work();
    expect(json.runtimeClasses).toMatchObject([{ metadata: { name: 'gvisor' }, handler: 'runs-gvisor' }]);
    expect(names(json.secrets).toSorted()).toEqual(['of-account', 'own']);
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
  const addMaps = async (...sizes: readonly number[]): Promise<readonly string[]> => {
    const maps = sizes.map((size, index) => [`map${index}`, 'x'.repeat(size)] as const);
    for (const [name, text] of maps) await create(CONFIG_MAPS, { metadata: { name }, data: { text } });
    return maps.map(([name]) => name);
  };
  const volumesOf = (maps: readonly string[]) => maps.map((name) => ({ name, configMap: { name } }));

  /** What all pages together show, and how many they are. */
  const pagesOf = async (characters: number, claims = 500) => {
    const seen: string[] = [];
    let [place, count]: [WorkPlace | undefined, number] = [undefined, 0];
    do {
      const page: WorkPage = await readWorkPage({ ...api, bear: async () => undefined }, 'n1', place, {
        characters,
        claims,
      });
      for (const list of ['pods', 'configMaps', 'secrets'] as const)
        seen.push(...names(page[list]).map((name) => `${list}/${name}`));
      [place, count] = [page.next, count + 1];
    } while (place !== undefined);
    return { seen, count };
  };

  it('each have at least one object, and together all of them, a pod before what it refers to', async () => {
    const maps = await addMaps(10, 3_000, 10);
    await addPod('a', { volumes: volumesOf(maps), automountServiceAccountToken: false });
    await addPod('b', { automountServiceAccountToken: false });
    const { seen, count } = await pagesOf(1);
    expect(seen.toSorted()).toEqual([
      'configMaps/map0',
      'configMaps/map1',
      'configMaps/map2',
      'pods/a',
      'pods/b',
    ]);
    expect(count).toBe(5);
    expect(seen.indexOf('pods/a')).toBeLessThan(seen.indexOf('configMaps/map0'));
    expect(await pagesOf(1_000_000)).toMatchObject({ count: 1 });
  });

  it('show an object once that many pods refer to', async () => {
    const volumes = volumesOf(await addMaps(10));
    for (const name of ['a', 'b', 'c']) await addPod(name, { volumes, automountServiceAccountToken: false });
    const { seen } = await pagesOf(1_000_000);
    expect(seen.filter((one) => one === 'configMaps/map0')).toHaveLength(1);
  });

  it('look at a bounded number of claims, also of pods that are not shown', async () => {
    for (let index = 0; index < 7; index += 1)
      await addPod(`mirror-${index}`, {}, { annotations: { 'kubernetes.io/config.mirror': 'h' } });
    await addPod('own', { automountServiceAccountToken: false });
    expect(await pagesOf(1_000_000, 3)).toEqual({ seen: ['pods/own'], count: 3 });
  });

  it('go on as of the first one', async () => {
    const volumes = volumesOf(await addMaps(700_000, 700_000));
    await addPod('a', { volumes, automountServiceAccountToken: false });
    await api.heartbeats.bumpWorkRevision('n1', 5);
    const first = (await work()).json;
    await api.heartbeats.bumpWorkRevision('n1', 6);
    const second = (await work(`?continue=${first.metadata.continue}`)).json;
    expect(
      [first, second].map((page) => [names(page.pods), names(page.configMaps), page.workRevision]),
    ).toEqual([
      [['a'], ['map0'], '5'],
      [[], ['map1'], '5'],
    ]);
    expect(second.metadata.continue).toBeUndefined();
  });

  it('of lines go on, too', async () => {
    const total = 501;
    for (let index = 0; index < total; index += 1) await addPod(`p${index}`);
    const first = new TextDecoder()
      .decode((await work('?output=text')).bytes)
      .trim()
      .split('\n');
    const [, token] = first.at(-1)?.split(' ') ?? [];
    const second = new TextDecoder()
      .decode((await work(`?output=text&continue=${token}`)).bytes)
      .trim()
      .split('\n');
    expect(first.at(-1)).toMatch(/^continue /);
    expect(second.at(-1)).toBe('complete');
    const pods = [...first, ...second]
      .filter((line) => line.startsWith('run '))
      .map((line) => line.split(' ')[2]);
    expect(new Set(pods).size).toBe(total);
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
