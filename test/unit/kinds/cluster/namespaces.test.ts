import { describe, expect, it } from 'vitest';
import type { TestApi } from '../../../support/servers/api.ts';
import { createTestApi, MERGE, podBody, statusOf } from '../../../support/servers/api.ts';

const ALL = '/api/v1/namespaces';
const NS = `${ALL}/ns1`;

const send = (api: TestApi, method: string, path: string, body?: object) =>
  api.send(method, path, {
    as: 'admin',
    ...(body ? { body } : {}),
    ...(method === 'PATCH' ? { type: MERGE } : {}),
  });

const withNamespace = async (): Promise<TestApi> => {
  const api = createTestApi();
  await send(api, 'POST', ALL, { metadata: { name: 'ns1' } });
  return api;
};

const namesIn = async (api: TestApi, path: string): Promise<readonly string[]> =>
  (await send(api, 'GET', path)).json.items.map(
    ({ metadata }: { metadata: { name: string } }) => metadata.name,
  );

describe('namespaces', () => {
  it('that are built in exist from the start, are stored once and do not change', async () => {
    const api = createTestApi();
    const first = (await send(api, 'GET', `${ALL}/default`)).json;
    expect(first).toMatchObject({
      metadata: { labels: { 'kubernetes.io/metadata.name': 'default' } },
      spec: { finalizers: ['kubernetes'] },
      status: { phase: 'Active' },
    });
    expect((await send(api, 'GET', `${ALL}/default`)).json).toEqual(first);
    expect(await namesIn(api, ALL)).toEqual(['default', 'kube-node-lease', 'kube-public', 'kube-system']);
  });

  it('can be changed, also the built-in ones', async () => {
    const api = createTestApi();
    await send(api, 'PATCH', `${ALL}/default`, { metadata: { labels: { a: 'b' } } });
    const { metadata } = (await send(api, 'GET', `${ALL}?labelSelector=a%3Db`)).json.items[0];
    expect([metadata.name, metadata.labels['kubernetes.io/metadata.name']]).toEqual(['default', 'default']);
  });

  it('can be created, and get a label with their name', async () => {
    const api = createTestApi();
    const { code, json } = await send(api, 'POST', ALL, { metadata: { generateName: 'team-' } });
    expect([code, json.metadata.labels]).toEqual([
      201,
      { 'kubernetes.io/metadata.name': json.metadata.name },
    ]);
    expect((await send(api, 'POST', `${ALL}/${json.metadata.name}/pods`, podBody('p'))).code).toBe(201);
  });

  it.each([
    ['POST', ALL, { metadata: { name: 'default' } }, 409, 'namespaces "default" already exists'],
    [
      'POST',
      ALL,
      { metadata: { name: 'a.b' } },
      422,
      'Namespace "a.b" is invalid: metadata.name: Invalid value',
    ],
    [
      'DELETE',
      `${ALL}/default`,
      undefined,
      403,
      'namespaces "default" is forbidden: this namespace may not be deleted',
    ],
    [
      'DELETE',
      `${ALL}/kube-system`,
      undefined,
      403,
      'namespaces "kube-system" is forbidden: this namespace may not be deleted',
    ],
    ['DELETE', `${ALL}/nope`, undefined, 404, 'namespaces "nope" not found'],
    ['POST', `${ALL}/nope/configmaps`, { metadata: { name: 'c' } }, 404, 'namespaces "nope" not found'],
    [
      'POST',
      '/apis/coordination.k8s.io/v1/namespaces/nope/leases',
      { metadata: { name: 'l' } },
      404,
      'namespaces "nope" not found',
    ],
    ['GET', `${ALL}/default/nodes`, undefined, 404, 'the server could not find the requested resource'],
    ['GET', '/api/v1/pods/p', undefined, 404, 'the server could not find the requested resource'],
    [
      'POST',
      ALL,
      { metadata: { name: 'a' }, spec: { finalizers: ['b'] } },
      422,
      'spec.finalizers: Invalid value: "b": name is neither a standard finalizer name nor is it fully qualified',
    ],
    [
      'PATCH',
      `${ALL}/default/status`,
      { status: { phase: 'Terminating' } },
      422,
      'status.phase: Invalid value: "Terminating": may only be \'Active\' if `deletionTimestamp` is empty',
    ],
  ])('%s %s %j: %s', async (method, path, body, code, message) => {
    const answer = await send(createTestApi(), method, path, body);
    expect([answer.code, answer.json.message]).toEqual([code, expect.stringContaining(message)]);
  });
});

describe('a deleted namespace', () => {
  it('is marked, and keeps its objects until the controller deletes them', async () => {
    const api = await withNamespace();
    await send(api, 'POST', `${NS}/configmaps`, { metadata: { name: 'c' } });
    const { code, json } = await send(api, 'DELETE', NS);
    expect([code, json.status, json.spec, typeof json.metadata.deletionTimestamp]).toEqual([
      200,
      { phase: 'Terminating' },
      { finalizers: ['kubernetes'] },
      'string',
    ]);
    expect((await send(api, 'DELETE', NS)).code).toBe(200);
    expect((await send(api, 'GET', NS)).json.status.phase).toBe('Terminating');
    expect((await send(api, 'DELETE', `${NS}/configmaps/c`)).code).toBe(200);
    expect((await send(api, 'POST', ALL, { metadata: { name: 'ns1' } })).code).toBe(409);
  });

  it('accepts no new objects', async () => {
    const api = await withNamespace();
    await send(api, 'DELETE', NS);
    const refused = await send(api, 'POST', `${NS}/configmaps`, { metadata: { name: 'c' } });
    expect(statusOf(refused)).toEqual([
      403,
      'Forbidden',
      'configmaps "c" is forbidden: unable to create new content in namespace ns1 because it is being terminated',
    ]);
    expect(refused.json.details.causes).toEqual([
      {
        reason: 'NamespaceTerminating',
        message: 'namespace ns1 is being terminated',
        field: 'metadata.namespace',
      },
    ]);
  });

  it('is not deleted in a dry run', async () => {
    const api = await withNamespace();
    expect((await send(api, 'DELETE', `${NS}?dryRun=All`)).json.status.phase).toBe('Terminating');
    expect((await send(api, 'GET', NS)).json.status.phase).toBe('Active');
  });
});

describe('a namespace that is finalized', () => {
  it('is removed if it is deleted', async () => {
    const api = await withNamespace();
    await send(api, 'DELETE', NS);
    await send(api, 'PATCH', NS, { metadata: { labels: { a: 'b' } } });
    expect((await send(api, 'GET', NS)).json.status.phase).toBe('Terminating');
    const body = { metadata: { name: 'ns1' }, spec: { finalizers: [] } };
    expect((await send(api, 'PUT', `${NS}/finalize`, body)).json.spec).toEqual({});
    expect((await send(api, 'GET', NS)).code).toBe(404);
  });

  it('stays while it has other finalizers', async () => {
    const api = await withNamespace();
    await send(api, 'PATCH', NS, { metadata: { finalizers: ['a.b/c'] } });
    await send(api, 'DELETE', NS);
    const body = { metadata: { name: 'ns1', finalizers: ['a.b/c'] }, spec: { finalizers: [] } };
    await send(api, 'PUT', `${NS}/finalize`, body);
    expect((await send(api, 'GET', NS)).json.spec).toEqual({});
    await send(api, 'PATCH', NS, { metadata: { finalizers: null } });
    expect((await send(api, 'GET', NS)).code).toBe(404);
  });

  it('is removed in two steps', async () => {
    const api = await withNamespace();
    await send(api, 'PUT', `${NS}/finalize`, { metadata: { name: 'ns1' }, spec: { finalizers: [] } });
    expect((await send(api, 'DELETE', NS)).json.status.phase).toBe('Terminating');
    expect((await send(api, 'GET', NS)).json.status.phase).toBe('Terminating');
    expect((await send(api, 'DELETE', NS)).json.kind).toBe('Namespace');
    expect((await send(api, 'GET', NS)).code).toBe(404);
  });

  it('stays until it is deleted', async () => {
    const api = await withNamespace();
    await send(api, 'PUT', `${NS}/finalize`, { metadata: { name: 'ns1' }, spec: { finalizers: [] } });
    expect((await send(api, 'GET', NS)).json.status.phase).toBe('Active');
  });
});
