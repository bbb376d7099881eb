import { describe, expect, it } from 'vitest';
import { createLeaseApi } from '../../../../../agent/adapters/api/lease-api.ts';
import { createMirrorApi } from '../../../../../agent/adapters/api/mirror-api.ts';
import { createNodeApi, createNodeRegistry } from '../../../../../agent/adapters/api/node-api.ts';
import { createPodApi } from '../../../../../agent/adapters/api/pod-api.ts';
import { createServiceAccountTokens } from '../../../../../agent/adapters/api/service-account-tokens.ts';
import { requestToken } from '../../../../../agent/adapters/api/token-api.ts';
import { createWorkSource } from '../../../../../agent/adapters/api/work-source.ts';
import { fakeSession } from './fake-session.ts';

const NODE = { apiVersion: 'v1', kind: 'Node', metadata: { name: 'n1' } };

describe('the registry of Nodes', () => {
  it.each([
    [201, '', 'created'],
    [409, 'AlreadyExists', 'exists'],
    [403, 'Forbidden', { forbidden: 'the API answered 403: not you' }],
  ])('takes %i for an answer', async (status, reason, expected) => {
    const { session } = fakeSession({ status, body: { reason, message: 'not you' } });
    expect(await createNodeRegistry(session).create(NODE)).toEqual(expected);
  });

  it('rejects with what the API says otherwise', async () => {
    const { session } = fakeSession({ status: 409, body: { reason: 'Conflict', message: 'again' } });
    await expect(createNodeRegistry(session).create(NODE)).rejects.toThrow('the API answered 409: again');
  });

  it('patches the status strategically', async () => {
    const { session, sent } = fakeSession();
    await createNodeRegistry(session).patchStatus('n1', { a: 1 });
    const wanted = { method: 'PATCH', path: '/api/v1/nodes/n1/status', body: { a: 1 }, isStrategic: true };
    expect(sent).toEqual([wanted]);
  });
});

it('the own Node is asked for once, is as it was written last, and is asked for again when it may have changed', async () => {
  const [read, written] = [NODE, { ...NODE, status: { phase: 'x' } }];
  const { session, sent } = fakeSession({ body: read }, { body: written }, { body: read });
  const nodes = createNodeApi(session, 'n1');
  expect(nodes.seen()).toBeUndefined();
  expect([await nodes.known(), await nodes.known()]).toEqual([read, read]);
  await nodes.patchStatus({});
  expect(await nodes.known()).toEqual(written);
  nodes.forget();
  expect(nodes.seen()).toEqual(written);
  expect(await nodes.known()).toEqual(read);
  expect(sent.map(({ method }) => method)).toEqual(['GET', 'PATCH', 'GET']);
});

it('a Lease goes to the address for heartbeats, and its answers tell the revision of the work', async () => {
  const headers = { 'rollcall-work-revision': '7' };
  const lease = { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', metadata: { name: 'n1' } };
  const answers = [{ status: 404 }, { status: 201, body: lease, headers }, { status: 409 }, { body: lease }];
  const { session, sent } = fakeSession(...answers);
  const told: (string | undefined)[] = [];
  const onBeat = (revision: string | undefined): void => void told.push(revision);
  const leases = createLeaseApi({ session, nodeName: 'n1', nodeUid: 'u1', onBeat });
  expect(await leases.get()).toBeUndefined();
  expect(await leases.create(lease)).toEqual(lease);
  expect(await leases.update(lease)).toBe('conflict');
  expect(await leases.update(lease)).toEqual(lease);
  expect(told).toEqual(['7', undefined]);
  expect(sent.every(({ isBeat }) => isBeat)).toBe(true);
  expect(await leases.nodeUid()).toBe('u1');
});

describe('the pods of the node', () => {
  it.each([200, 404, 409])('are deleted by their uid, and have gone with the answer %i', async (status) => {
    const { session, sent } = fakeSession({ status });
    await createPodApi(session).delete('default', 'web', 'u');
    const body = { gracePeriodSeconds: 0, preconditions: { uid: 'u' } };
    expect(sent).toEqual([{ method: 'DELETE', path: '/api/v1/namespaces/default/pods/web', body }]);
  });

  it('reject what the API refuses', async () => {
    const { session } = fakeSession({ status: 500 }, { status: 403 }, { status: 404 });
    const pods = createPodApi(session);
    await expect(pods.delete('default', 'web', 'u')).rejects.toThrow('500');
    await expect(pods.patchStatus('default', 'web', {})).rejects.toThrow('403');
    expect(await pods.get('default', 'web')).toBeUndefined();
  });
});

it('work is asked for by page, or whether it has changed', async () => {
  const { session, sent } = fakeSession({ body: { a: 1 }, headers: { etag: '"1"' } }, { status: 304 });
  const source = createWorkSource(session, 'n1');
  expect(await source.page('a/b')).toEqual({ body: { a: 1 }, etag: '"1"' });
  expect(await source.page(undefined, '"1"')).toBe('unchanged');
  expect(sent.map(({ path, headers }) => [path, headers])).toEqual([
    ['/apis/rollcall.dev/v1/nodes/n1/work?continue=a%2Fb', undefined],
    ['/apis/rollcall.dev/v1/nodes/n1/work', { 'if-none-match': '"1"' }],
  ]);
});

it('a token comes with the Node and the cluster that it is for', async () => {
  const token = `h.${Buffer.from(JSON.stringify({ iss: 'c1' })).toString('base64url')}.s`;
  const { session, sent } = fakeSession({
    status: 201,
    body: { metadata: { uid: 'u1' }, status: { token } },
  });
  expect(await requestToken(session, 'n1', 90_500)).toEqual({ token, nodeUid: 'u1', clusterId: 'c1' });
  expect(sent[0]).toMatchObject({ method: 'POST', body: { ttlSeconds: 90 } });
});

it('mirror pods are those of the node that have the annotation', async () => {
  const mirror = { metadata: { name: 'a', annotations: { 'kubernetes.io/config.mirror': 'h' } } };
  const { session, sent } = fakeSession(
    { body: { items: [mirror, { metadata: { name: 'b' } }] } },
    { body: mirror },
  );
  const mirrors = createMirrorApi(session, createPodApi(session), 'n1');
  expect(await mirrors.mirrors()).toEqual([mirror]);
  expect(await mirrors.create({ ...mirror, spec: { containers: [] } } as never)).toEqual(mirror);
  expect(sent.map(({ method, path }) => `${method} ${path}`)).toEqual([
    'GET /api/v1/pods?fieldSelector=spec.nodeName%3Dn1',
    'POST /api/v1/namespaces/default/pods',
  ]);
});

it('a token of a service account is bound to its pod', async () => {
  const status = { token: 't', expirationTimestamp: '1970-01-01T00:01:00Z' };
  const metadata = { creationTimestamp: '1970-01-01T00:00:00Z' };
  const { session, sent } = fakeSession(
    { status: 201, body: { metadata, status } },
    { status: 201, body: { status } },
  );
  const pod = { namespace: 'shop', name: 'web', uid: 'u' };
  const wish = { pod, serviceAccount: 'default', expirationSeconds: 600 };
  expect(await createServiceAccountTokens(session).request(wish)).toEqual({ token: 't', lifeMs: 60_000 });
  expect(await createServiceAccountTokens(session).request(wish)).toEqual({ token: 't', lifeMs: 600_000 });
  expect(sent[0]).toMatchObject({
    method: 'POST',
    path: '/api/v1/namespaces/shop/serviceaccounts/default/token',
    body: { spec: { expirationSeconds: 600, boundObjectRef: { kind: 'Pod', name: 'web', uid: 'u' } } },
  });
});
