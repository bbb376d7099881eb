/** What the tokens of a Node and of a service account may do once what they are bound to is gone. */
import { beforeEach, describe, expect, it } from 'vitest';
import {
  createTestApi,
  heartbeatPath,
  LEASES,
  MERGE,
  NODES,
  nodeBody,
  PODS,
  podBody,
  type Received,
  type TestApi,
  tokenPath,
} from '../../../support/servers/api.ts';

const ACCOUNTS = '/api/v1/namespaces/default/serviceaccounts';
const SECRETS = '/api/v1/namespaces/default/secrets';
const MAPS = '/api/v1/namespaces/default/configmaps';
const REVIEWS = '/apis/authentication.k8s.io/v1/tokenreviews';
const WHO = '/apis/authentication.k8s.io/v1/selfsubjectreviews';
const LEASE = { metadata: { name: 'n1' }, spec: { holderIdentity: 'n1', leaseDurationSeconds: 40 } };

let api: TestApi;
let token: string;

const admin = (method: string, path: string, body?: object): Promise<Received> =>
  api.send(method, path, { as: 'admin', ...(body ? { body } : {}) });

const register = async (): Promise<string> => {
  await admin('POST', NODES, nodeBody('n1'));
  return (await admin('POST', tokenPath('n1'))).json.status.token;
};

const volumes = [
  { name: 's', secret: { secretName: 's' } },
  { name: 'c', configMap: { name: 'c' } },
  { name: 't', projected: { sources: [{ serviceAccountToken: { path: 't' } }] } },
];

/** Pod `p` runs on n1 as account `robot` and names a Secret and a ConfigMap. */
const populate = async (): Promise<string> => {
  await admin('POST', ACCOUNTS, { metadata: { name: 'robot' } });
  await admin('POST', SECRETS, { metadata: { name: 's' } });
  await admin('POST', MAPS, { metadata: { name: 'c' } });
  const pod = podBody('p', { nodeName: 'n1', serviceAccountName: 'robot', volumes });
  return (await admin('POST', PODS, pod)).json.metadata.uid;
};

let podUid: string;
beforeEach(async () => {
  api = createTestApi();
  token = await register();
  podUid = await populate();
});

interface Attempt {
  readonly method: string;
  readonly path: string;
  readonly body?: (pod: string) => object;
  readonly type?: string;
  /** Code while the Node lives. */
  readonly code: number;
}

const eviction = () => ({ apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name: 'p' } });
const tokenFor = (uid: string) => ({
  spec: { boundObjectRef: { apiVersion: 'v1', kind: 'Pod', name: 'p', uid } },
});
const eventAbout = () => ({
  metadata: { name: 'e' },
  involvedObject: { kind: 'Pod', namespace: 'default', name: 'p' },
});
const reviewOf = () => ({ spec: { user: 'x', resourceAttributes: { verb: 'get', resource: 'pods' } } });

const ATTEMPTS: readonly Attempt[] = [
  { method: 'GET', path: `${SECRETS}/s`, code: 200 },
  { method: 'GET', path: `${SECRETS}?fieldSelector=metadata.name%3Ds`, code: 200 },
  { method: 'GET', path: `${MAPS}/c`, code: 200 },
  { method: 'GET', path: `${PODS}/p`, code: 200 },
  { method: 'GET', path: '/api/v1/pods?fieldSelector=spec.nodeName%3Dn1', code: 200 },
  {
    method: 'GET',
    path: '/api/v1/pods?watch=1&timeoutSeconds=0&fieldSelector=spec.nodeName%3Dn1',
    code: 200,
  },
  { method: 'GET', path: `${ACCOUNTS}/robot`, code: 200 },
  { method: 'POST', path: `${ACCOUNTS}/robot/token`, body: tokenFor, code: 201 },
  { method: 'GET', path: `${NODES}/n1`, code: 200 },
  {
    method: 'PATCH',
    path: `${NODES}/n1`,
    body: () => ({ metadata: { labels: { a: 'b' } } }),
    type: MERGE,
    code: 200,
  },
  { method: 'PATCH', path: `${NODES}/n1/status`, body: () => ({ status: {} }), type: MERGE, code: 200 },
  { method: 'PATCH', path: `${PODS}/p/status`, body: () => ({ status: {} }), type: MERGE, code: 200 },
  { method: 'DELETE', path: `${PODS}/p`, code: 200 },
  { method: 'DELETE', path: `${PODS}/p?dryRun=All`, code: 200 },
  { method: 'POST', path: `${PODS}/p/eviction`, body: eviction, code: 201 },
  { method: 'POST', path: LEASES, body: () => LEASE, code: 201 },
  { method: 'POST', path: `${LEASES}?dryRun=All`, body: () => LEASE, code: 201 },
  { method: 'GET', path: '/api/v1/services', code: 200 },
  { method: 'POST', path: '/api/v1/namespaces/default/events', body: eventAbout, code: 201 },
  { method: 'POST', path: '/apis/authorization.k8s.io/v1/subjectaccessreviews', body: reviewOf, code: 201 },
  { method: 'POST', path: WHO, body: () => ({}), code: 201 },
  { method: 'POST', path: tokenPath('n1'), code: 201 },
  { method: 'GET', path: '/version', code: 200 },
  { method: 'GET', path: '/api', code: 200 },
];

const tried = async ({ method, path, body, type }: Attempt, bearer: string): Promise<Received> =>
  api.send(method, path, {
    token: bearer,
    ...(body ? { body: body(podUid) } : {}),
    ...(type ? { type } : {}),
  });

describe('the token of a Node', () => {
  it.each(ATTEMPTS)('is accepted while the Node exists: $method $path', async (attempt) => {
    expect((await tried(attempt, token)).code).toBe(attempt.code);
  });

  it.each(ATTEMPTS)('is refused after the Node was deleted: $method $path', async (attempt) => {
    await admin('DELETE', `${NODES}/n1`);
    expect((await tried(attempt, token)).code).toBe(401);
  });

  it.each(ATTEMPTS)('is refused if another Node has its name: $method $path', async (attempt) => {
    await admin('DELETE', `${NODES}/n1`);
    const successor = await register();
    const before = (await admin('GET', `${PODS}/p`)).json;
    const { code, json } = await tried(attempt, token);
    expect([code, json.message]).toEqual([
      401,
      'Unauthorized: the Node that this token was made for was deleted; register again and get a new token',
    ]);
    expect((await admin('GET', `${PODS}/p`)).json).toEqual(before);
    expect((await tried(attempt, successor)).code).toBe(attempt.code);
  });

  it.each(ATTEMPTS)('is refused while only a finalizer keeps the Node: $method $path', async (attempt) => {
    const finalizers = ['example.com/mine'];
    const kept = await api.send('PATCH', `${NODES}/n1`, {
      token,
      type: MERGE,
      body: { metadata: { finalizers } },
    });
    expect(kept.code).toBe(200);
    await admin('DELETE', `${NODES}/n1`);
    expect((await admin('GET', `${NODES}/n1`)).json.metadata.finalizers).toEqual(finalizers);
    const beats = attempt.path === LEASES;
    expect((await tried(attempt, token)).code).toBe(beats ? 201 : 401);
  });

  it('is not issued while the Node is being deleted', async () => {
    await api.send('PATCH', `${NODES}/n1`, {
      as: 'admin',
      type: MERGE,
      body: { metadata: { finalizers: ['a/b'] } },
    });
    await admin('DELETE', `${NODES}/n1`);
    expect((await admin('POST', tokenPath('n1'))).code).toBe(409);
  });

  it('costs a heartbeat one write and no read', async () => {
    const reads: string[] = [];
    const { read } = api.objects;
    Object.assign(api.objects, {
      read: async (key: Parameters<typeof read>[0]) => {
        reads.push(key.resource);
        return read(key);
      },
    });
    expect((await api.sendHeartbeat('POST', heartbeatPath('n1'), { token })).code).toBe(200);
    expect(reads).toEqual([]);
    expect((await api.sendHeartbeat('GET', `${LEASES}/n1`, { token })).code).toBe(404);
    expect(reads).toEqual(['nodes']);
  });

  it('stores no heartbeat for a successor', async () => {
    await admin('DELETE', `${NODES}/n1`);
    await register();
    expect((await api.sendHeartbeat('POST', heartbeatPath('n1'), { token })).code).toBe(404);
    expect((await api.sendHeartbeat('POST', LEASES, { token, body: LEASE })).code).toBe(401);
    expect((await api.sendHeartbeat('PUT', `${LEASES}/n1`, { token, body: LEASE })).code).toBe(401);
    expect((await api.sendHeartbeat('GET', `${LEASES}/n1`, { token })).code).toBe(401);
  });

  it('is also invalid in a TokenReview', async () => {
    const review = async () => (await admin('POST', REVIEWS, { spec: { token } })).json.status;
    expect(await review()).toMatchObject({ authenticated: true, user: { username: 'system:node:n1' } });
    await admin('DELETE', `${NODES}/n1`);
    await register();
    expect(await review()).toEqual({
      user: {},
      error:
        '[invalid bearer token, the Node that this token was made for was deleted; register again and get a new token]',
    });
  });

  it('without a uid is bound to no Node and stays valid', async () => {
    await admin('DELETE', `${NODES}/n1`);
    await register();
    expect((await api.send('GET', `${SECRETS}/s`, { as: 'system:node:n1' })).code).toBe(200);
  });
});

const tokenOf = async (spec: object): Promise<string> =>
  (await admin('POST', `${ACCOUNTS}/robot/token`, { spec })).json.status.token;

const boundTo = (kind: string, name: string) => ({ boundObjectRef: { apiVersion: 'v1', kind, name } });

const again: Readonly<Record<string, () => Promise<unknown>>> = {
  [`${ACCOUNTS}/robot`]: () => admin('POST', ACCOUNTS, { metadata: { name: 'robot' } }),
  [`${SECRETS}/s`]: () => admin('POST', SECRETS, { metadata: { name: 's' } }),
  [`${PODS}/p?gracePeriodSeconds=0`]: populate,
  [`${NODES}/n1`]: register,
};

describe('the token of a service account', () => {
  const check = (bearer: string) => api.send('POST', WHO, { token: bearer, body: {} });

  it.each([
    ['alone', {}, `${ACCOUNTS}/robot`, 'serviceaccounts "robot" not found', 'service account UID'],
    [
      'bound to a Secret',
      boundTo('Secret', 's'),
      `${SECRETS}/s`,
      'service account token has been invalidated',
      'secret UID',
    ],
    [
      'bound to a Secret',
      boundTo('Secret', 's'),
      `${ACCOUNTS}/robot`,
      'serviceaccounts "robot" not found',
      'service account UID',
    ],
    [
      'bound to a Pod',
      boundTo('Pod', 'p'),
      `${PODS}/p?gracePeriodSeconds=0`,
      'service account token has been invalidated',
      'pod UID',
    ],
    [
      'bound to a Pod on a Node',
      boundTo('Pod', 'p'),
      `${NODES}/n1`,
      'service account token has been invalidated',
      'node UID',
    ],
    [
      'bound to a Node',
      boundTo('Node', 'n1'),
      `${NODES}/n1`,
      'service account token has been invalidated',
      'node UID',
    ],
  ])('%s (%o) ends with %s', async (_what, spec, path, gone, replaced) => {
    const bearer = await tokenOf(spec);
    expect((await check(bearer)).code).toBe(201);
    await admin('DELETE', path);
    const answer = await check(bearer);
    expect([answer.code, answer.json.message]).toEqual([401, `Unauthorized: ${gone}`]);
    const { status } = (await admin('POST', REVIEWS, { spec: { token: bearer } })).json;
    expect(status).toEqual({ user: {}, error: `[invalid bearer token, ${gone}]` });
    await again[path]?.();
    const later = await check(bearer);
    expect([later.code, later.json.message]).toEqual([
      401,
      expect.stringContaining(`Unauthorized: ${replaced} (`),
    ]);
  });

  it('is valid while its pod stops, and a minute longer if a finalizer keeps the pod', async () => {
    const bearer = await tokenOf(boundTo('Pod', 'p'));
    await api.send('PATCH', `${PODS}/p`, {
      as: 'admin',
      type: MERGE,
      body: { metadata: { finalizers: ['a/b'] } },
    });
    await admin('DELETE', `${PODS}/p?gracePeriodSeconds=30`);
    api.advance(89_000);
    expect((await check(bearer)).code).toBe(201);
    api.advance(1_000);
    expect((await check(bearer)).code).toBe(401);
  });

  it('is valid for at most a day, which the answer shows', async () => {
    const { code, json, headers } = await admin('POST', `${ACCOUNTS}/robot/token`, {
      spec: { expirationSeconds: 2 ** 32 },
    });
    expect([code, json.spec.expirationSeconds, json.status.expirationTimestamp]).toEqual([
      201,
      86_400,
      '2026-03-02T12:00:00Z',
    ]);
    expect(headers['warning']).toContain(
      'requested expiration of 4294967296 seconds shortened to 86400 seconds',
    );
  });

  it.each([
    ['nothing else', {}, 'service account'],
    ['a Pod', boundTo('Pod', 'p'), 'service account'],
    ['a Node', boundTo('Node', 'n1'), 'service account'],
  ])('is not taken where only beats are, bound to %s', async (_what, spec, kind) => {
    const bearer = await tokenOf(spec);
    const { code, json } = await api.sendHeartbeat('POST', heartbeatPath('n1'), { token: bearer });
    expect([code, json.reason]).toEqual([403, 'Forbidden']);
    expect(json.message).toContain(`bound to a ${kind} is taken at the URL of the API only`);
    expect((await api.sendHeartbeat('POST', heartbeatPath('n1'), { token })).code).toBe(200);
  });
});
