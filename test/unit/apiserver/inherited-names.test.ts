/** Names that every object inherits are names like any other. */
import { beforeEach, describe, expect, it } from 'vitest';
import { createTestApi, NODES, nodeBody, PODS, podBody, type TestApi } from '../../support/servers/api.ts';

const INHERITED = ['constructor', 'toString', 'valueOf', 'hasOwnProperty'] as const;
const APPLY = 'application/apply-patch+yaml';
const MAPS = '/api/v1/namespaces/default/configmaps';
const SECRETS = '/api/v1/namespaces/default/secrets';

let api: TestApi;
beforeEach(() => {
  api = createTestApi();
});

const selected = async (selector: string): Promise<readonly string[]> => {
  const { json } = await api.send('GET', `${NODES}?labelSelector=${encodeURIComponent(selector)}`);
  return json.items?.map((node: { metadata: { name: string } }) => node.metadata.name) ?? json.message;
};

describe.each(INHERITED)('%s', (name) => {
  it('selects only nodes with that label', async () => {
    await api.send('POST', NODES, { as: 'admin', body: nodeBody('plain') });
    const labels = { [name]: 'x' };
    await api.send('POST', NODES, { as: 'admin', body: { metadata: { name: 'labelled', labels } } });
    expect(await selected(name)).toEqual(['labelled']);
    expect(await selected(`!${name}`)).toEqual(['plain']);
    expect(await selected(`${name}=x`)).toEqual(['labelled']);
    expect(await selected(`${name}!=x`)).toEqual(['plain']);
    expect(await selected(`${name} notin (y)`)).toEqual(['labelled', 'plain']);
    expect(await selected(`x ${name} (y)`)).toMatch(/found '\w+', expected: in, notin, =, ==, !=, gt, lt$/);
  });

  it('is a key of a ConfigMap, besides others', async () => {
    const body = { metadata: { name: 'm' }, data: { [name]: 'x' }, binaryData: { other: 'eA==' } };
    expect((await api.send('POST', MAPS, { as: 'admin', body })).code).toBe(201);
  });

  it('is a type of a Secret', async () => {
    expect(
      (await api.send('POST', SECRETS, { as: 'admin', body: { metadata: { name: 's' }, type: name } })).code,
    ).toBe(201);
  });

  it('is an annotation that an apply keeps, adds and removes', async () => {
    const apply = async (manager: string, annotations: object) =>
      (
        await api.send('PATCH', `${MAPS}/m?fieldManager=${manager}`, {
          as: 'admin',
          type: APPLY,
          body: { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'm', annotations } },
        })
      ).json.metadata.annotations;
    expect(await apply('one', { [name]: 'x' })).toEqual({ [name]: 'x' });
    expect(await apply('two', { other: 'y' })).toEqual({ [name]: 'x', other: 'y' });
    expect(await apply('one', {})).toEqual({ other: 'y' });
  });

  it('may have an element order in a strategic patch without a list', async () => {
    const body = { metadata: { name: 'm', labels: { [name]: 'x', y: 'z' } } };
    await api.send('POST', MAPS, { as: 'admin', body });
    const { code, json } = await api.send('PATCH', `${MAPS}/m`, {
      as: 'admin',
      type: 'application/strategic-merge-patch+json',
      body: {
        [`$setElementOrder/${name}`]: ['a'],
        [`$deleteFromPrimitiveList/${name}`]: ['a'],
        metadata: { labels: { y: 'w', [`$setElementOrder/${name}2`]: [] } },
      },
    });
    expect([code, json.metadata?.labels ?? json.message]).toEqual([200, { [name]: 'x', y: 'w' }]);
  });

  it('is not found in the part of a LimitRange that lacks it', async () => {
    const limits = [{ type: 'Container', max: { [name]: '1' }, min: { cpu: '1' } }];
    const { code, json } = await api.send('POST', '/api/v1/namespaces/default/limitranges', {
      as: 'admin',
      body: { metadata: { name: 'l' }, spec: { limits } },
    });
    expect([code, json.reason]).toEqual([422, 'Invalid']);
  });

  it('is not a subresource of a pod, and not a verb', async () => {
    const node = 'system:node:n1';
    expect((await api.send('GET', `${PODS}/p/${name}`, { as: node })).code).toBe(403);
    expect((await api.send('GET', `${PODS}/p/${name}`)).code).toBe(404);
    expect((await api.send(name, `${PODS}/p`)).code).toBeLessThan(500);
  });

  it('is the kind of an owner that is not served', async () => {
    const budgets = '/apis/policy/v1/namespaces/default/poddisruptionbudgets';
    const spec = { selector: { matchLabels: { app: 'a' } }, maxUnavailable: 1 };
    await api.send('POST', budgets, { as: 'admin', body: { metadata: { name: 'b' }, spec } });
    const owner = { apiVersion: 'apps/v1', kind: name, name: 'o', uid: 'u', controller: true };
    const metadata = { name: 'p', labels: { app: 'a' }, ownerReferences: [owner] };
    await api.send('POST', PODS, { as: 'admin', body: { ...podBody('p'), metadata } });
    const { json } = await api.send('GET', `${budgets}/b`);
    expect(json.status.conditions[0]).toMatchObject({ reason: 'SyncFailed', status: 'False' });
  });
});

it('a pod named constructor counts for its budget', async () => {
  const budgets = '/apis/policy/v1/namespaces/default/poddisruptionbudgets';
  const spec = { selector: { matchLabels: { app: 'a' } }, minAvailable: 1 };
  await api.send('POST', budgets, { as: 'admin', body: { metadata: { name: 'b' }, spec } });
  const metadata = { name: 'constructor', labels: { app: 'a' } };
  await api.send('POST', PODS, {
    as: 'admin',
    body: { ...podBody('constructor', { nodeName: 'n1' }), metadata },
  });
  const status = { conditions: [{ type: 'Ready', status: 'True' }] };
  await api.send('PATCH', `${PODS}/constructor/status`, {
    as: 'admin',
    type: 'application/merge-patch+json',
    body: { status },
  });
  expect((await api.send('GET', `${budgets}/b`)).json.status.currentHealthy).toBe(1);
});

it('a pod gets the priority class named constructor', async () => {
  const classes = '/apis/scheduling.k8s.io/v1/priorityclasses';
  const body = { metadata: { name: 'constructor' }, value: 7 };
  expect((await api.send('POST', classes, { as: 'admin', body })).code).toBe(201);
  const pod = await api.send('POST', PODS, {
    as: 'admin',
    body: podBody('p', { priorityClassName: 'constructor' }),
  });
  expect(pod.json.spec.priority).toBe(7);
  expect((await api.send('DELETE', `${classes}/constructor`)).code).toBe(200);
});
