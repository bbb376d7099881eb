import { expect, it } from 'vitest';
import type { Sent, TestApi } from './api.ts';
import { createTestApi, PODS, statusOf } from './api.ts';

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

it('for another audience is not for us', async () => {
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
