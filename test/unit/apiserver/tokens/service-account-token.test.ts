import { expect, it } from 'vitest';
import type { Sent, TestApi } from '../../../support/servers/api.ts';
import { createTestApi, NODES, nodeBody, PODS, podBody, statusOf } from '../../../support/servers/api.ts';

const ACCOUNTS = '/api/v1/namespaces/default/serviceaccounts';
const TOKEN = `${ACCOUNTS}/robot/token`;

const withAccount = async (): Promise<TestApi> => {
  const api = createTestApi();
  await api.send('POST', ACCOUNTS, { as: 'admin', body: { metadata: { name: 'robot' } } });
  return api;
};

const request = (api: TestApi, body: object, path = TOKEN) => api.send('POST', path, { as: 'admin', body });

it('is signed for the account, for an hour unless told otherwise', async () => {
  const api = await withAccount();
  const { code, json } = await request(api, {});
  expect([code, json]).toMatchObject([
    201,
    {
      kind: 'TokenRequest',
      apiVersion: 'authentication.k8s.io/v1',
      metadata: { name: 'robot', namespace: 'default' },
      spec: { expirationSeconds: 3600, boundObjectRef: null },
      status: { expirationTimestamp: '2026-03-01T13:00:00Z' },
    },
  ]);
  const bearer: Sent = { token: json.status.token };
  expect(statusOf(await api.send('GET', PODS, bearer))).toEqual([
    403,
    'Forbidden',
    'pods is forbidden: User "system:serviceaccount:default:robot" cannot list resource "pods" in API group "" in the namespace "default"',
  ]);
  api.advance(3_601_000);
  expect((await api.send('GET', PODS, bearer)).code).toBe(401);
});

it('for another audience is refused by this API', async () => {
  const api = await withAccount();
  const { json } = await request(api, { spec: { audiences: ['vault'] } });
  expect(json.spec.audiences).toEqual(['vault']);
  expect((await api.send('GET', PODS, { token: json.status.token })).code).toBe(401);
});

it.each([
  [
    TOKEN,
    { spec: { expirationSeconds: 599 } },
    422,
    'TokenRequest.authentication.k8s.io "" is invalid: spec.expirationSeconds: Invalid value: 599: may not specify a duration less than 10 minutes',
  ],
  [
    TOKEN,
    { spec: { expirationSeconds: 4_294_967_297 } },
    422,
    'TokenRequest.authentication.k8s.io "" is invalid: spec.expirationSeconds: Invalid value: 4294967297: may not specify a duration larger than 2^32 seconds',
  ],
  [
    TOKEN,
    { metadata: { namespace: 'kube-system' } },
    400,
    'the namespace of the provided object does not match the namespace sent on the request',
  ],
  [
    TOKEN,
    { metadata: { name: 'other' } },
    400,
    'the service account name in the provided object (other) does not match the name on the URL (robot)',
  ],
  [`${ACCOUNTS}/nobody/token`, {}, 404, 'serviceaccounts "nobody" not found'],
])('%s %j is refused with %s', async (path, body, code, message) => {
  const answer = await request(await withAccount(), body, path);
  expect([answer.code, answer.json.message]).toEqual([code, message]);
});

const withPod = async (): Promise<{ api: TestApi; uid: string; nodeUid: string }> => {
  const api = await withAccount();
  const node = await api.send('POST', NODES, { as: 'admin', body: nodeBody('n1') });
  const volumes = [{ name: 'v', projected: { sources: [{ serviceAccountToken: { path: 't' } }] } }];
  const body = podBody('web', { serviceAccountName: 'robot', nodeName: 'n1', volumes });
  const pod = await api.send('POST', PODS, { as: 'admin', body });
  return { api, uid: pod.json.metadata.uid, nodeUid: node.json.metadata.uid };
};

const bound = (rest: object = {}) => ({
  spec: { boundObjectRef: { apiVersion: 'v1', kind: 'Pod', name: 'web', ...rest } },
});

it('bound to a pod names the pod and its node', async () => {
  const { api, uid, nodeUid } = await withPod();
  const { code, json } = await request(api, bound({ uid }));
  expect([code, json.spec.boundObjectRef.uid]).toEqual([201, uid]);
  const review = { as: 'admin', body: { spec: { token: json.status.token } } };
  const { user } = (await api.send('POST', '/apis/authentication.k8s.io/v1/tokenreviews', review)).json
    .status;
  expect(user).toMatchObject({
    username: 'system:serviceaccount:default:robot',
    uid: expect.stringMatching(/^0000/),
    extra: {
      'authentication.kubernetes.io/pod-name': ['web'],
      'authentication.kubernetes.io/pod-uid': [uid],
      'authentication.kubernetes.io/node-name': ['n1'],
      'authentication.kubernetes.io/node-uid': [nodeUid],
    },
  });
});

it('is issued to the node of the pod, for that pod only', async () => {
  const { api, uid } = await withPod();
  const ask = async (body: object) => statusOf(await api.send('POST', TOKEN, { as: 'system:node:n1', body }));
  expect((await ask(bound({ uid })))[0]).toBe(201);
  expect((await ask({}))[2]).toMatch(/node requested token not bound to a pod$/);
  expect((await ask(bound()))[2]).toMatch(/a pod binding without a uid$/);
});

it.each([
  [{ uid: 'other' }, 409, /the UID in the bound object reference \(other\) does not match/],
  [{ name: 'nothing' }, 404, /^pods "nothing" not found$/],
  [{ kind: 'ConfigMap' }, 400, /^cannot bind token to object of type v1, Kind=ConfigMap$/],
])('bound to %o is refused with %i', async (rest, code, message) => {
  const { api } = await withPod();
  expect(statusOf(await request(api, bound(rest)))).toEqual([
    code,
    expect.anything(),
    expect.stringMatching(message),
  ]);
});

it('is not bound to a pod of another account', async () => {
  const { api } = await withPod();
  await api.send('POST', PODS, { as: 'admin', body: podBody('others') });
  expect(statusOf(await request(api, bound({ name: 'others' })))[2]).toMatch(/different serviceaccount name/);
});

it('for the default account of a namespace that nobody has asked about stores the account first', async () => {
  const api = createTestApi();
  expect((await request(api, {}, `${ACCOUNTS}/default/token`)).code).toBe(201);
  const key = { resource: 'serviceaccounts', namespace: 'default', name: 'default' };
  expect((await api.objects.read(key))?.state).toBe('live');
  expect((await request(createTestApi({ controllers: 'none' }), {}, `${ACCOUNTS}/default/token`)).code).toBe(
    404,
  );
});
