import { describe, expect, it } from 'vitest';
import type { TestApi } from '../../support/servers/api.ts';
import { createTestApi, MERGE, statusOf } from '../../support/servers/api.ts';

const NODES = '/api/v1/nodes';
const PODS = '/api/v1/namespaces/default/pods';
const TABLE = 'application/json;as=Table;v=v1;g=meta.k8s.io';

const send = (api: TestApi, method: string, path: string, body?: object, more: object = {}) =>
  api.send(method, path, { as: 'admin', ...(body ? { body } : {}), ...more });

const withNode = async (parts: object = {}): Promise<TestApi> => {
  const api = createTestApi();
  await send(api, 'POST', NODES, { metadata: { name: 'n1' }, ...parts });
  return api;
};

describe('a path with an empty part', () => {
  it.each([
    '/api/v1//nodes',
    '/api//v1/nodes',
    '/api/v1/nodes//n1',
    '/api/v1/nodes/n1//status',
    '/api//v1',
    '/apis//apps/v1',
    '//api/v1/nodes',
  ])('%s is a 404', async (path) => {
    const api = await withNode();
    expect((await send(api, 'GET', `http://api.test${path}`)).code).toBe(404);
  });
});

describe('GET of one object', () => {
  it.each(['true', '1', ''])('with export=%s is refused', async (value) => {
    const api = await withNode();
    expect(statusOf(await send(api, 'GET', `${NODES}/n1?export=${value}`))).toEqual([
      400,
      'BadRequest',
      'the export parameter, deprecated since v1.14, is no longer supported',
    ]);
  });

  it('with export=false is answered', async () => {
    const api = await withNode();
    expect((await send(api, 'GET', `${NODES}/n1?export=false`)).code).toBe(200);
  });

  it.each([`${NODES}/n1`, NODES])('at a future version is a 504 with its cause (%s)', async (path) => {
    const api = await withNode();
    const { code, json } = await send(api, 'GET', `${path}?resourceVersion=9007199254740991`);
    expect([code, json.reason, json.message]).toEqual([
      504,
      'Timeout',
      expect.stringMatching(/^Timeout: Too large resource version: 9007199254740991, current: \d+$/),
    ]);
    expect(json.details).toEqual({
      causes: [{ reason: 'ResourceVersionTooLarge', message: 'Too large resource version' }],
      retryAfterSeconds: 1,
    });
  });

  it('at a version that another object has is answered', async () => {
    const api = await withNode();
    const { json } = await send(api, 'POST', NODES, { metadata: { name: 'n2' } });
    const { resourceVersion } = json.metadata;
    expect((await send(api, 'GET', `${NODES}/n1?resourceVersion=${resourceVersion}`)).code).toBe(200);
  });
});

describe('a Table of an object that is never stored', () => {
  it.each([
    [
      '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews',
      { spec: { resourceAttributes: { verb: 'get' } } },
    ],
    ['/apis/authentication.k8s.io/v1/selfsubjectreviews', {}],
    ['/api/v1/namespaces/default/serviceaccounts/default/token', { spec: {} }],
  ])('is refused with 406 (%s)', async (path, body) => {
    const answer = await send(createTestApi(), 'POST', path, body, { headers: { accept: TABLE } });
    expect([answer.code, answer.json.reason]).toEqual([406, 'NotAcceptable']);
  });

  it('is replaced by the next form that the client accepts', async () => {
    const path = '/apis/authentication.k8s.io/v1/selfsubjectreviews';
    const headers = { accept: `${TABLE},application/json` };
    const { code, json } = await send(createTestApi(), 'POST', path, {}, { headers });
    expect([code, json.kind]).toEqual([201, 'SelfSubjectReview']);
  });
});

describe('the message of a refusal', () => {
  it('names the requested namespace', async () => {
    const { json } = await createTestApi().send('GET', '/api/v1/namespaces/default', { as: 'nobody' });
    expect(json.message).toBe(
      'namespaces "default" is forbidden: User "nobody" cannot get resource "namespaces" in API group "" in the namespace "default"',
    );
  });

  it('lists the taints of a changed Node before its providerID', async () => {
    const api = await withNode({ spec: { providerID: 'a' } });
    const change = { spec: { providerID: 'b', taints: [{ key: 'k', effect: 'Odd' }] } };
    const { json } = await send(api, 'PATCH', `${NODES}/n1`, change, { type: MERGE });
    const fields = json.details.causes.map(({ field }: { field: string }) => field);
    expect(fields).toEqual(['metadata.taints[0].effect', 'spec.providerID', 'metadata.taints[0].effect']);
  });

  it('names finalizers by index if a kind requires a domain', async () => {
    const body = { metadata: { name: 'c', finalizers: ['a/b', 'x'] } };
    const { json } = await send(createTestApi(), 'POST', '/api/v1/namespaces/default/configmaps', body);
    expect(json.details.causes.map(({ field }: { field: string }) => field)).toEqual([
      'metadata.finalizers[1]',
    ]);
  });
});

describe('a status', () => {
  it('of a Node, also of a new one, has no config', async () => {
    const config = { error: 'x' };
    const api = await withNode({ status: { config } });
    const change = { status: { config, phase: 'Running' } };
    const { json } = await send(api, 'PATCH', `${NODES}/n1/status`, change, { type: MERGE });
    expect([json.status.config, json.status.phase]).toEqual([undefined, 'Running']);
  });

  it.each([
    [
      { hostIP: '10.0.0.1', hostIPs: [{ ip: '10.0.0.2' }] },
      'status.hostIPs[0].ip: Invalid value: "10.0.0.2": must be equal to `hostIP`',
    ],
    [
      { hostIP: 'x', hostIPs: [{ ip: 'x' }] },
      'status.hostIPs[0]: Invalid value: "x": must be a valid IP address',
    ],
    [
      { hostIP: '10.0.0.1', hostIPs: [{ ip: '10.0.0.1' }, { ip: '10.0.0.2' }] },
      'may specify no more than one IP for each IP family',
    ],
    [
      { hostIP: '10.0.0.1', hostIPs: [{ ip: '10.0.0.1' }, { ip: 'x' }] },
      'failed to check for dual stack with error:invalid IP[1]',
    ],
  ])('of a Pod must have the addresses of one host: %j', async (status, message) => {
    const api = createTestApi();
    await send(api, 'POST', PODS, {
      metadata: { name: 'p' },
      spec: { containers: [{ name: 'c', image: 'i' }] },
    });
    const answer = await send(api, 'PATCH', `${PODS}/p/status`, { status }, { type: MERGE });
    expect(statusOf(answer)).toEqual([422, 'Invalid', expect.stringContaining(message)]);
  });

  it('of a Pod may name one address of each family', async () => {
    const api = createTestApi();
    await send(api, 'POST', PODS, {
      metadata: { name: 'p' },
      spec: { containers: [{ name: 'c', image: 'i' }] },
    });
    const status = { hostIP: '10.0.0.1', hostIPs: [{ ip: '10.0.0.1' }, { ip: 'fd00::1' }] };
    expect((await send(api, 'PATCH', `${PODS}/p/status`, { status }, { type: MERGE })).code).toBe(200);
  });
});

describe('a PUT of a missing object', () => {
  it.each([
    ['/apis/coordination.k8s.io/v1/namespaces/default/leases', {}],
    ['/apis/coordination.k8s.io/v1/namespaces/default/leases?dryRun=All', {}],
    ['/api/v1/namespaces/default/services', { spec: { ports: [{ port: 1 }] } }],
    ['/api/v1/namespaces/default/endpoints', {}],
  ])('with a uid is a 409 (%s)', async (url, parts) => {
    const [path = '', query] = url.split('?');
    const body = { ...parts, metadata: { name: 'x', uid: 'gone' } };
    const answer = await send(createTestApi(), 'PUT', `${path}/x${query ? `?${query}` : ''}`, body);
    expect([answer.code, answer.json.reason]).toEqual([409, 'Conflict']);
  });
});
