import { beforeEach, describe, expect, it } from 'vitest';
import {
  createTestApi,
  MERGE,
  NODES,
  nodeBody,
  statusOf,
  type TestApi,
} from '../../../support/servers/api.ts';

let api: TestApi;
beforeEach(() => {
  api = createTestApi();
});

const WHO = '/apis/authentication.k8s.io/v1/selfsubjectreviews';
const whoAmI = async (headers: Readonly<Record<string, string>>) =>
  (await api.send('POST', WHO, { as: 'admin', body: {}, headers })).json.status?.userInfo;

describe('an administrator counts as', () => {
  it.each([
    [{ 'impersonate-user': 'ann' }, { username: 'ann', groups: ['system:authenticated'] }],
    [
      { 'impersonate-user': 'ann', 'impersonate-group': 'a, b' },
      { username: 'ann', groups: ['a', 'b', 'system:authenticated'] },
    ],
    [
      { 'impersonate-user': 'ann', 'impersonate-group': 'a,system:authenticated' },
      { username: 'ann', groups: ['a', 'system:authenticated'] },
    ],
    [
      { 'impersonate-user': 'ann', 'impersonate-uid': 'u1', 'impersonate-extra-example.com%2fscope': 'x' },
      { username: 'ann', uid: 'u1', groups: ['system:authenticated'], extra: { 'example.com/scope': ['x'] } },
    ],
    [
      { 'impersonate-user': 'system:serviceaccount:default:builder' },
      {
        username: 'system:serviceaccount:default:builder',
        groups: ['system:serviceaccounts', 'system:serviceaccounts:default', 'system:authenticated'],
      },
    ],
    [
      { 'impersonate-user': 'system:serviceaccount:default' },
      { username: 'system:serviceaccount:default', groups: ['system:authenticated'] },
    ],
  ])('%o', async (headers, userInfo) => {
    expect(await whoAmI(headers)).toEqual(userInfo);
  });

  it('the anonymous user', async () => {
    const received = await api.send('GET', NODES, {
      as: 'admin',
      headers: { 'impersonate-user': 'system:anonymous' },
    });
    expect(statusOf(received)[2]).toMatch(/User "system:anonymous" cannot list/);
  });

  it('a node, with the restrictions of nodes', async () => {
    await api.send('POST', NODES, { as: 'admin', body: nodeBody('n1') });
    const headers = { 'impersonate-user': 'system:node:n1', 'impersonate-group': 'system:nodes' };
    const patch = (body: unknown) =>
      api.send('PATCH', `${NODES}/n1`, { as: 'admin', headers, type: MERGE, body });
    expect((await patch({ metadata: { labels: { mine: 'yes' } } })).code).toBe(200);
    expect(statusOf(await patch({ spec: { taints: null } }))).toEqual([
      403,
      'Forbidden',
      'nodes "n1" is forbidden: node "n1" is not allowed to modify taints',
    ]);
  });
});

it.each([
  [
    { 'impersonate-user': 'ann' },
    'users "ann" is forbidden: User "viewer" cannot impersonate resource "users" in API group "" at the cluster scope',
  ],
  [
    { 'impersonate-user': 'system:serviceaccount:default:builder' },
    'serviceaccounts "builder" is forbidden: User "viewer" cannot impersonate resource "serviceaccounts" in API group "" in the namespace "default"',
  ],
])('a user who is not an administrator may not send %o', async (headers, message) => {
  const received = await api.send('GET', NODES, { as: 'viewer', headers });
  expect(statusOf(received)).toEqual([403, 'Forbidden', message]);
});

it.each([
  [{ 'impersonate-group': 'g' }, 'requested [{Group  g    }] without impersonating a user'],
  [
    { 'impersonate-uid': 'u' },
    'requested [{UID  u  authentication.k8s.io/v1  }] without impersonating a user',
  ],
  [
    { 'impersonate-extra-scope': 'x' },
    'requested [{UserExtra  x  authentication.k8s.io/v1  scope}] without impersonating a user',
  ],
])('%o needs a user', async (headers, message) => {
  expect(statusOf(await api.send('GET', NODES, { as: 'admin', headers }))).toEqual([
    400,
    'BadRequest',
    message,
  ]);
});
