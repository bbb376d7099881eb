import { describe, expect, it } from 'vitest';
import type { Json, TestApi } from '../../../support/servers/api.ts';
import { createTestApi, MERGE } from '../../../support/servers/api.ts';

const NAMESPACES = '/api/v1/namespaces';
const ACCOUNT = `${NAMESPACES}/ns1/serviceaccounts/default`;
const CA = `${NAMESPACES}/ns1/configmaps/kube-root-ca.crt`;

const send = (api: TestApi, method: string, path: string, body?: unknown, type?: string) =>
  api.send(method, path, {
    as: 'admin',
    ...(body === undefined ? {} : { body }),
    ...(type === undefined ? {} : { type }),
  });

const codeOf = async (api: TestApi, path: string): Promise<number> => (await send(api, 'GET', path)).code;

const namesIn = async (api: TestApi, path: string): Promise<readonly string[]> =>
  (await send(api, 'GET', path)).json.items.map(({ metadata }: Json) => metadata.name);

const withNamespace = async (): Promise<TestApi> => {
  const api = createTestApi();
  await send(api, 'POST', NAMESPACES, { metadata: { name: 'ns1' } });
  return api;
};

describe('a namespace has a ServiceAccount and the API server’s authority', () => {
  it.each(['default', 'kube-node-lease', 'kube-public', 'kube-system'])(
    '%s has them from the start',
    async (namespace) => {
      const api = createTestApi();
      expect(await namesIn(api, `${NAMESPACES}/${namespace}/serviceaccounts`)).toEqual(['default']);
      expect(await namesIn(api, `${NAMESPACES}/${namespace}/configmaps`)).toContain('kube-root-ca.crt');
    },
  );

  it('a new one has them at once, and a watch of all accounts shows them', async () => {
    const api = await withNamespace();
    const row = (resource: string, name: string) => api.objects.read({ resource, namespace: 'ns1', name });
    expect((await row('serviceaccounts', 'default'))?.state).toBe('live');
    expect((await row('configmaps', 'kube-root-ca.crt'))?.state).toBe('live');
  });

  it('one of a dry run gets none', async () => {
    const api = createTestApi();
    await send(api, 'POST', `${NAMESPACES}?dryRun=All`, { metadata: { name: 'ns1' } });
    expect(await api.objects.read({ resource: 'serviceaccounts', namespace: 'ns1', name: 'default' })).toBe(
      undefined,
    );
  });

  it('one whose creation was interrupted gets them with the next request for them', async () => {
    const api = createTestApi();
    await api.writer.write({ resource: 'namespaces', namespace: '', name: 'ns1' }, () => ({
      next: { kind: 'Namespace', apiVersion: 'v1', metadata: { name: 'ns1', uid: 'u' } },
      writer: 'client',
    }));
    expect(await codeOf(api, ACCOUNT)).toBe(200);
    expect(await namesIn(api, `${NAMESPACES}/ns1/configmaps`)).toEqual(['kube-root-ca.crt']);
  });

  it.each([ACCOUNT, CA, `${NAMESPACES}/default/services/kubernetes`])(
    '%s is created again with another uid after it was deleted',
    async (path) => {
      const api = await withNamespace();
      const { json } = await send(api, 'GET', path);
      expect((await send(api, 'DELETE', path)).code).toBe(200);
      const again = await send(api, 'GET', path);
      expect(again.code).toBe(200);
      expect(again.json.metadata.uid).not.toBe(json.metadata.uid);
    },
  );

  it('all are created again after they were deleted', async () => {
    const api = await withNamespace();
    await send(api, 'DELETE', `${NAMESPACES}/ns1/serviceaccounts`);
    const row = await api.objects.read({ resource: 'serviceaccounts', namespace: 'ns1', name: 'default' });
    expect(row?.state).toBe('live');
  });

  it('a change of the authority is reverted, one of labels is kept', async () => {
    const api = await withNamespace();
    await send(
      api,
      'PATCH',
      CA,
      { data: { 'ca.crt': 'x', y: 'z' }, metadata: { labels: { a: 'b' } } },
      MERGE,
    );
    const { json } = await send(api, 'GET', CA);
    expect([json.data, json.metadata.labels]).toEqual([{ 'ca.crt': '' }, { a: 'b' }]);
  });

  it('none are created in a namespace that does not exist or is terminating', async () => {
    const api = await withNamespace();
    expect(await codeOf(api, `${NAMESPACES}/nope/serviceaccounts/default`)).toBe(404);
    await send(api, 'DELETE', `${NAMESPACES}/ns1`);
    for (const path of [ACCOUNT, CA]) {
      expect((await send(api, 'DELETE', path)).code).toBe(200);
      expect(await codeOf(api, path)).toBe(404);
    }
  });

  it('none are created without controllers', async () => {
    const api = createTestApi({ controllers: 'none' });
    expect(await namesIn(api, `${NAMESPACES}/default/serviceaccounts`)).toEqual([]);
  });
});

describe('the Service of the API', () => {
  it('is only in `default`, with an address and the port of HTTPS', async () => {
    const api = createTestApi();
    const { json } = await send(api, 'GET', `${NAMESPACES}/default/services/kubernetes`);
    expect([json.spec.clusterIP, json.spec.ports[0]]).toEqual([
      '10.96.0.1',
      { name: 'https', port: 443, protocol: 'TCP', targetPort: 443 },
    ]);
    expect(await namesIn(api, `${NAMESPACES}/kube-system/services`)).toEqual([]);
  });
});
