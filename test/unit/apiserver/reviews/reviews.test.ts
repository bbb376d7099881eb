import { beforeEach, describe, expect, it } from 'vitest';
import { issueToken } from '../../../../shared/apiserver/access/authentication.ts';
import { createTestApi, type Sent, START, statusOf, type TestApi } from '../../../support/servers/api.ts';

const AUTHORIZATION = '/apis/authorization.k8s.io/v1';
const AUTHENTICATION = '/apis/authentication.k8s.io/v1';

let api: TestApi;
beforeEach(() => {
  api = createTestApi();
});

const post = (path: string, body: unknown, as = 'admin', rest: Sent = {}) =>
  api.send('POST', path, { as, body, ...rest });

const tokenFor = (name: string, groups: readonly string[] = []) =>
  issueToken(
    { signingKeys: api.signingKeys, clusterId: 'test' },
    { name, groups, issuedAt: START, expiresAt: START + 3_600_000 },
  );

describe('a SelfSubjectAccessReview', () => {
  it.each([
    ['admin', { verb: 'delete', resource: 'nodes' }, true],
    ['admin', { verb: '*', group: '*', resource: '*' }, true],
    ['viewer', { verb: 'list', resource: 'nodes' }, true],
    ['viewer', { verb: 'get', resource: 'nodes', subresource: 'status', name: 'n1' }, true],
    ['viewer', { verb: '*', resource: 'nodes' }, false],
    ['viewer', { verb: 'get', resource: 'secrets', namespace: 'default' }, false],
    ['viewer', { verb: 'get', resource: 'foos' }, false],
    ['viewer', { verb: 'list', group: 'coordination.k8s.io', resource: 'leases' }, true],
    ['bootstrapper', { verb: 'create', resource: 'nodes' }, true],
    [
      'bootstrapper',
      { verb: 'create', group: 'rollcall.dev', resource: 'nodes', subresource: 'token' },
      true,
    ],
    ['bootstrapper', { verb: 'get', resource: 'nodes', name: 'n1' }, false],
    [
      'somebody',
      { verb: 'create', group: 'authorization.k8s.io', resource: 'selfsubjectrulesreviews' },
      true,
    ],
    ['somebody', { verb: 'impersonate', resource: 'users', name: 'admin' }, false],
    ['system:node:n1', { verb: 'get', resource: 'nodes', name: 'n1' }, true],
    ['system:node:n1', { verb: 'create', resource: 'nodes', subresource: 'status', name: 'n1' }, false],
    ['system:node:n1', { verb: 'list', resource: 'services' }, true],
  ])('answers %s about %o: %s', async (as, resourceAttributes, allowed) => {
    const { code, json } = await post(
      `${AUTHORIZATION}/selfsubjectaccessreviews`,
      { spec: { resourceAttributes } },
      as,
    );
    expect([code, json.status.allowed]).toEqual([201, allowed]);
    expect(json.spec).toEqual({ resourceAttributes });
  });

  it.each([
    ['admin', '/metrics', 'post', true],
    ['viewer', '/metrics', 'get', true],
    ['somebody', '/apis/policy/v1', 'get', true],
    ['somebody', '/metrics', 'get', false],
    ['somebody', '/version', 'head', true],
    ['somebody', '/version', 'post', false],
  ])('answers %s about the path %s, %s: %s', async (as, path, verb, allowed) => {
    const { json } = await post(
      `${AUTHORIZATION}/selfsubjectaccessreviews`,
      { spec: { nonResourceAttributes: { path, verb } } },
      as,
    );
    expect(json.status).toEqual({ allowed });
  });

  it('gives the reason of a refusal for a node', async () => {
    const resourceAttributes = { verb: 'list', resource: 'nodes' };
    const sent = [
      `${AUTHORIZATION}/selfsubjectaccessreviews`,
      { spec: { resourceAttributes } },
      'system:node:n1',
    ] as const;
    expect((await post(...sent)).json.status).toEqual({
      allowed: false,
      reason: "node 'n1' cannot read all nodes, only its own Node object",
    });
  });

  it.each([
    [{ rawSelector: 'spec.nodeName=n1' }, true],
    [{ requirements: [{ key: 'spec.nodeName', operator: 'In', values: ['n1'] }] }, true],
    [{ requirements: [{ key: 'spec.nodeName', operator: 'In', values: ['n1', 'n2'] }] }, false],
    [{ rawSelector: 'spec.nodeName=n2' }, false],
  ])('uses the field selector %o', async (fieldSelector, allowed) => {
    const spec = { resourceAttributes: { verb: 'list', resource: 'pods', fieldSelector } };
    const { json } = await post(`${AUTHORIZATION}/selfsubjectaccessreviews`, { spec }, 'system:node:n1');
    expect(json.status.allowed).toBe(allowed);
  });

  it('is forbidden for anonymous requests, and can only be created', async () => {
    const path = `${AUTHORIZATION}/selfsubjectaccessreviews`;
    expect((await api.send('POST', path, { body: {} })).code).toBe(403);
    expect((await api.send('GET', path)).code).toBe(405);
  });
});

const RESOURCE = { verb: 'get', resource: 'nodes' };

it.each([
  [
    'selfsubjectaccessreviews',
    {},
    'spec.resourceAttributes: Invalid value: null: exactly one of nonResourceAttributes or resourceAttributes must be specified',
  ],
  [
    'selfsubjectaccessreviews',
    { resourceAttributes: RESOURCE, nonResourceAttributes: { path: '/x', verb: 'get' } },
    'spec.nonResourceAttributes: Invalid value: {"Path":"/x","Verb":"get"}: cannot be specified in combination with resourceAttributes',
  ],
  [
    'subjectaccessreviews',
    { resourceAttributes: RESOURCE },
    'spec.user: Invalid value: "": at least one of user or group must be specified',
  ],
  [
    'selfsubjectaccessreviews',
    { resourceAttributes: { ...RESOURCE, fieldSelector: {} } },
    'spec.resourceAttributes.fieldSelector.requirements: Required value: when spec.resourceAttributes.fieldSelector is specified, requirements or rawSelector is required',
  ],
  [
    'namespaces/default/localsubjectaccessreviews',
    { user: 'u', resourceAttributes: RESOURCE },
    'spec.resourceAttributes.namespace: Invalid value: "": must match metadata.namespace',
  ],
])('a review of %s with the spec %o is invalid', async (resource, spec, why) => {
  const received = await post(`${AUTHORIZATION}/${resource}`, { spec });
  expect(statusOf(received)).toEqual([422, 'Invalid', `.authorization.k8s.io "" is invalid: ${why}`]);
  expect(received.json.details).not.toHaveProperty('kind');
});

it.each([
  [{ user: 'nobody', groups: ['g'] }, false],
  [{ groups: ['system:masters'] }, true],
  [{ user: 'system:node:n1', groups: ['system:nodes'] }, false],
])('a SubjectAccessReview about %o', async (subject, allowed) => {
  const spec = { ...subject, resourceAttributes: { ...RESOURCE, name: 'n2' } };
  const { code, json } = await post(`${AUTHORIZATION}/subjectaccessreviews`, { spec });
  expect([code, json.status.allowed, json.spec]).toEqual([201, allowed, spec]);
});

it('a LocalSubjectAccessReview is about its own namespace', async () => {
  const spec = {
    groups: ['rollcall:viewers'],
    resourceAttributes: { verb: 'list', resource: 'pods', namespace: 'default' },
  };
  const { json } = await post(`${AUTHORIZATION}/namespaces/default/localsubjectaccessreviews`, { spec });
  expect(json).toMatchObject({ metadata: { namespace: 'default' }, status: { allowed: true } });
});

describe('a SelfSubjectRulesReview', () => {
  const path = `${AUTHORIZATION}/selfsubjectrulesreviews`;

  it('lists the rules by which requests are decided, and does not echo the namespace', async () => {
    const { json } = await post(path, { spec: { namespace: 'default' } }, 'bootstrapper');
    expect(json.spec).toEqual({});
    expect(json.status.incomplete).toBe(false);
    expect(json.status.resourceRules).toContainEqual({
      verbs: ['create'],
      apiGroups: [''],
      resources: ['nodes'],
    });
    expect(json.status.nonResourceRules[0].nonResourceURLs).toContain('/openapi/*');
  });

  it('is incomplete for a node', async () => {
    const { json } = await post(path, { spec: { namespace: 'default' } }, 'system:node:n1');
    expect(json.status).toMatchObject({
      incomplete: true,
      evaluationError: expect.stringMatching(/node authorizer/),
    });
  });

  it('needs a namespace', async () => {
    expect(statusOf(await post(path, { spec: {} }))).toEqual([400, 'BadRequest', 'no namespace on request']);
  });
});

it('a SelfSubjectReview has the attributes of the sender', async () => {
  const { json } = await post(`${AUTHENTICATION}/selfsubjectreviews`, {}, 'viewer');
  expect(json).toEqual({
    kind: 'SelfSubjectReview',
    apiVersion: 'authentication.k8s.io/v1',
    metadata: { creationTimestamp: '2026-03-01T12:00:00Z' },
    status: { userInfo: { username: 'viewer', groups: ['rollcall:viewers', 'system:authenticated'] } },
  });
});

describe('a TokenReview', () => {
  const path = `${AUTHENTICATION}/tokenreviews`;

  it("shows the user of a service account's token", async () => {
    const token = await tokenFor('system:serviceaccount:default:builder');
    const { code, json } = await post(path, { spec: { token } });
    expect([code, json.status]).toEqual([
      201,
      {
        authenticated: true,
        user: {
          username: 'system:serviceaccount:default:builder',
          groups: ['system:serviceaccounts', 'system:serviceaccounts:default', 'system:authenticated'],
        },
        audiences: ['rollcall'],
      },
    ]);
  });

  it.each([
    ['garbage', { user: {}, error: 'invalid bearer token' }],
    [undefined, undefined],
  ])('of the token %s', async (token, status) => {
    const { code, json } = await post(path, { spec: { token } });
    expect(status ? json.status : [code, json.message]).toEqual(
      status ?? [400, 'token is required for TokenReview in authentication'],
    );
  });

  it('for an audience that the token is not for finds it invalid', async () => {
    const token = await tokenFor('somebody');
    const { json } = await post(path, { spec: { token, audiences: ['elsewhere'] } });
    expect(json.status).toMatchObject({ user: {}, error: expect.stringMatching(/invalid bearer token/) });
    expect(
      (await post(path, { spec: { token, audiences: ['elsewhere', 'rollcall'] } })).json.status.audiences,
    ).toEqual(['rollcall']);
  });
});
