import { beforeEach, describe, expect, it } from 'vitest';
import { nextHeartbeatSeconds } from '../../../../shared/apiserver/leases/heartbeats.ts';
import type { TestApi } from '../../../support/servers/api.ts';
import {
  createTestApi,
  heartbeatPath,
  LEASES,
  MERGE,
  NODES,
  nodeBody,
  START,
  statusOf,
  tokenPath,
} from '../../../support/servers/api.ts';

const KEY = { namespace: 'kube-node-lease', name: 'n1' };
let api: TestApi;
let uid: string;

beforeEach(async () => {
  api = createTestApi();
  uid = (await api.send('POST', NODES, { as: 'admin', body: nodeBody('n1') })).json.metadata.uid;
  api.advance(5_000);
});

const asNode = (rest: object = {}) => ({ as: 'system:node:n1', nodeUid: uid, ...rest });

/** The state after the adapter's retention, as far as the item is concerned. */
const expireItem = async () => {
  const { createMemoryState } = await import('../../../../shared/adapters/memory/state.ts');
  const emptied = createMemoryState().heartbeats;
  return {
    ...emptied,
    remake: async (beat: Parameters<typeof emptied.remake>[0]) => ({
      outcome: 'accepted' as const,
      item: { ...KEY, uid: beat.uid, observedAt: beat.at },
    }),
  };
};

describe('a plain heartbeat', () => {
  it("is stored with the server's time, and its answer names the next one", async () => {
    const { code, json } = await api.send(
      'POST',
      heartbeatPath('n1'),
      asNode({ body: { intervalSeconds: 5 } }),
    );
    expect(code).toBe(200);
    expect(json).toEqual({
      kind: 'HeartbeatReceipt',
      apiVersion: 'rollcall.dev/v1',
      node: 'n1',
      observedAt: '2026-03-01T12:00:05.000Z',
      graceSeconds: 40,
      nextHeartbeatSeconds: 5,
      workRevision: '0',
    });
    expect(await api.heartbeats.read(KEY)).toMatchObject({
      plainAt: START + 5_000,
      observedAt: START + 5_000,
    });
  });

  it('costs one write and no read', async () => {
    const calls: string[] = [];
    const counting = <T extends object>(store: T): T =>
      new Proxy(store, {
        get: (target, name) => {
          const method = Reflect.get(target, name) as (...args: unknown[]) => unknown;
          return (...args: unknown[]) => {
            calls.push(String(name));
            return method.apply(target, args);
          };
        },
      });
    const { createHeartbeatServer } = await import('../../../../shared/apiserver/heartbeat-server.ts');
    const { issueToken } = await import('../../../../shared/apiserver/access/authentication.ts');
    const serve = createHeartbeatServer({
      ...api,
      objects: counting(api.objects),
      heartbeats: counting(api.heartbeats),
    });
    const token = await issueToken(
      { signingKeys: api.signingKeys, clusterId: 'test' },
      {
        name: 'system:node:n1',
        groups: ['system:nodes'],
        nodeUid: uid,
        issuedAt: START,
        expiresAt: START + 60_000,
      },
    );
    const request = {
      query: new URLSearchParams(),
      headers: { authorization: `Bearer ${token}` },
      body: new Uint8Array(),
    };
    expect((await serve({ ...request, method: 'POST', path: heartbeatPath('n1') })).status).toBe(200);
    expect(calls).toEqual(['beat']);
  });

  it('creates an expired item of an existing node again', async () => {
    const { createHeartbeatServer } = await import('../../../../shared/apiserver/heartbeat-server.ts');
    const serve = createHeartbeatServer({ ...api, heartbeats: await expireItem() });
    const { issueToken } = await import('../../../../shared/apiserver/access/authentication.ts');
    const send = async (nodeUid: string) => {
      const token = await issueToken(
        { signingKeys: api.signingKeys, clusterId: 'test' },
        {
          name: 'system:node:n1',
          groups: ['system:nodes'],
          nodeUid,
          issuedAt: START,
          expiresAt: START + 60_000,
        },
      );
      const headers = { authorization: `Bearer ${token}` };
      return serve({
        method: 'POST',
        path: heartbeatPath('n1'),
        query: new URLSearchParams(),
        headers,
        body: new Uint8Array(),
      });
    };
    expect((await send(uid)).status).toBe(200);
    expect((await send('another')).status).toBe(404);
  });

  it.each([
    [10, 40_000, 10],
    [60, 40_000, 10],
    [10, 8_000, 2],
    [0.2, 40_000, 1],
    [60, 40_000, 15, 15],
    [5, 40_000, 5, 15],
    [60, 40_000, 10, 5],
  ])(
    'that asks for every %s s, with a grace period of %s ms, is asked for every %s s; the setting: %s s',
    (wanted, grace, next, setting = 0) => {
      expect(nextHeartbeatSeconds(wanted, grace, setting)).toBe(next);
    },
  );
});

describe('a lease', () => {
  const lease = (resourceVersion?: string, spec: object = {}) => ({
    metadata: { name: 'n1', ...(resourceVersion === undefined ? {} : { resourceVersion }) },
    spec: { holderIdentity: 'n1', renewTime: '2026-03-01T12:00:05.000006Z', ...spec },
  });
  const path = `${LEASES}/n1`;

  it('is created, renewed with its version and refused with an older one', async () => {
    const made = (await api.send('POST', LEASES, asNode({ body: lease() }))).json;
    expect(made.metadata).toMatchObject({
      name: 'n1',
      namespace: 'kube-node-lease',
      resourceVersion: String(START + 5_000),
    });
    expect(made.spec.renewTime).toBe('2026-03-01T12:00:05.000006Z');
    api.advance(10_000);
    const renewed = await api.send(
      'PUT',
      path,
      asNode({ body: { ...made, spec: { ...made.spec, leaseTransitions: 1 } } }),
    );
    expect(renewed).toMatchObject({
      code: 200,
      json: { metadata: { uid: made.metadata.uid, resourceVersion: String(START + 15_000) } },
    });
    expect(statusOf(await api.send('PUT', path, asNode({ body: made })))).toEqual([
      409,
      'Conflict',
      'Operation cannot be fulfilled on leases.coordination.k8s.io "n1": the object has been modified; please apply your changes to the latest version and try again',
    ]);
    expect(await api.heartbeats.read(KEY)).toMatchObject({
      leaseAt: START + 15_000,
      observedAt: START + 15_000,
    });
  });

  it('keeps its uid and creation time if a renewal leaves them out', async () => {
    const { metadata } = (await api.send('POST', LEASES, asNode({ body: lease() }))).json;
    api.advance(10_000);
    const renewed = await api.send('PUT', path, asNode({ body: lease(metadata.resourceVersion) }));
    const { uid: ownUid, creationTimestamp } = metadata;
    expect(renewed.json.metadata).toMatchObject({ uid: ownUid, creationTimestamp });
  });

  it('is created by the first PUT, and the next one needs a version', async () => {
    expect((await api.send('PUT', path, asNode({ body: lease('7') }))).code).toBe(201);
    expect(statusOf(await api.send('PUT', path, asNode({ body: lease() })))).toEqual([
      422,
      'Invalid',
      'leases.coordination.k8s.io "n1" is invalid: metadata.resourceVersion: Invalid value: 0: must be specified for an update',
    ]);
  });

  it('is also served by the heartbeat server, which serves nothing else', async () => {
    expect((await api.sendHeartbeat('POST', LEASES, asNode({ body: lease() }))).code).toBe(201);
    expect((await api.sendHeartbeat('GET', path, asNode())).code).toBe(200);
    expect((await api.sendHeartbeat('POST', heartbeatPath('n1'), asNode())).code).toBe(200);
    expect(statusOf(await api.sendHeartbeat('GET', `${NODES}/n1`, asNode()))).toEqual([
      404,
      'NotFound',
      expect.stringContaining('send everything else to the URL of the API'),
    ]);
  });

  it('of a deleted node cannot be renewed with its token', async () => {
    await api.send('DELETE', `${NODES}/n1`);
    expect((await api.send('POST', LEASES, asNode({ body: lease() }))).code).toBe(401);
  });

  it('may be in another namespace, be patched, listed and deleted', async () => {
    const others = '/apis/coordination.k8s.io/v1/namespaces/default/leases';
    await api.send('POST', others, { as: 'admin', body: { metadata: { name: 'leader' } } });
    await api.send('POST', LEASES, { as: 'admin', body: lease() });
    const patched = await api.send('PATCH', `${others}/leader`, {
      as: 'admin',
      body: { spec: { holderIdentity: 'a' } },
      type: MERGE,
    });
    expect(patched.json.spec).toEqual({ holderIdentity: 'a' });
    const all = (await api.send('GET', '/apis/coordination.k8s.io/v1/leases')).json;
    expect(all).toMatchObject({ kind: 'LeaseList', metadata: { resourceVersion: String(START + 3_000) } });
    expect(all.items.map(({ metadata }: { metadata: { name: string } }) => metadata.name)).toEqual([
      'leader',
      'n1',
    ]);
    expect((await api.send('GET', `${others}?limit=1`)).json.items).toHaveLength(1);
    expect((await api.send('DELETE', `${others}/leader`)).json.status).toBe('Success');
    expect((await api.send('GET', `${others}/leader`)).code).toBe(404);
  });

  it.each([
    ['limit=1', 2],
    ['limit=2', 1],
    ['limit=3', undefined],
    ['', undefined],
    ['limit=1&labelSelector=!x', undefined],
  ])('is counted in remainingItemCount: %s', async (query, remaining) => {
    const others = '/apis/coordination.k8s.io/v1/namespaces/default/leases';
    for (const name of ['a', 'b', 'c'])
      await api.send('POST', others, { as: 'admin', body: { metadata: { name } } });
    const { metadata } = (await api.send('GET', `${others}?${query}`)).json;
    expect(metadata.remainingItemCount).toBe(remaining);
  });
});

describe("a node's token", () => {
  const claimsOf = (token: string) =>
    JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString());

  it('has the uid of the Node and the requested expiry', async () => {
    const { code, json } = await api.send('POST', tokenPath('n1'), {
      as: 'admin',
      body: { ttlSeconds: 3_600 },
    });
    expect(code).toBe(201);
    expect(json.status.expirationTimestamp).toBe('2026-03-01T13:00:05Z');
    expect(claimsOf(json.status.token)).toMatchObject({
      iss: 'test',
      sub: 'system:node:n1',
      groups: ['system:nodes'],
      node_uid: uid,
    });
    expect((await api.send('GET', `${NODES}/n1`, { token: json.status.token })).code).toBe(200);
  });

  it('is issued to a bootstrapper only once, even after it has expired', async () => {
    expect((await api.send('POST', tokenPath('n1'), { as: 'bootstrapper' })).code).toBe(201);
    expect(statusOf(await api.send('POST', tokenPath('n1'), { as: 'bootstrapper' }))).toEqual([
      403,
      'Forbidden',
      expect.stringContaining('node "n1" has a token until 2026-03-02T12:00:05Z'),
    ]);
    expect((await api.send('POST', tokenPath('n1'), asNode())).code).toBe(201);
    api.advance(24 * 3_600_000 + 1_000);
    expect(statusOf(await api.send('POST', tokenPath('n1'), { as: 'bootstrapper' }))).toEqual([
      403,
      'Forbidden',
      expect.stringContaining('node "n1" had a token until 2026-03-02T12:00:05Z'),
    ]);
  });

  it('is recorded even if clients change the Node', async () => {
    await api.send('POST', tokenPath('n1'), { as: 'bootstrapper' });
    await api.send('PUT', `${NODES}/n1`, { as: 'admin', body: nodeBody('n1') });
    expect((await api.send('POST', tokenPath('n1'), { as: 'bootstrapper' })).code).toBe(403);
  });

  it.each([59, 31 * 86_400, 1.5, 'x'])('is not issued for %s seconds', async (ttlSeconds) => {
    expect((await api.send('POST', tokenPath('n1'), { as: 'admin', body: { ttlSeconds } })).code).toBe(400);
  });

  it('needs a Node', async () => {
    expect((await api.send('POST', tokenPath('nope'), { as: 'bootstrapper' })).code).toBe(404);
  });
});
