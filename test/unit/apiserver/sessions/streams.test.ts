import { createPublicKey, type JsonWebKey, verify } from 'node:crypto';
import { beforeEach, describe, expect, it } from 'vitest';
import type { NodeSession } from '../../../../shared/apiserver/contract/session.ts';
import {
  createTestApi,
  NODES,
  PODS,
  podBody,
  START,
  statusOf,
  type TestApi,
} from '../../../support/servers/api.ts';

const FINGERPRINT = 'ab'.repeat(32);
const SESSIONS = '/apis/rollcall.dev/v1/sessions';
const UPGRADE = { connection: 'Upgrade', upgrade: 'websocket' };
let api: TestApi;
let opened: NodeSession[];

const agentNode = (
  name: string,
  annotations: object = { 'rollcall.dev/serving-certificate': FINGERPRINT },
) => ({
  metadata: { name, annotations },
  status: {
    addresses: [{ type: 'InternalIP', address: '10.0.0.1' }],
    daemonEndpoints: { kubeletEndpoint: { Port: 10_250 } },
  },
});

const opensAll = async (session: NodeSession) => {
  opened.push(session);
  return { status: 200, headers: { 'content-type': 'text/plain' }, body: 'from the node' };
};

const takesAll = (node: object, stream: string) => ({
  status: 200,
  headers: {},
  body: JSON.stringify({ node, stream }),
});

const fill = async (to: TestApi): Promise<void> => {
  await to.send('POST', NODES, { as: 'admin', body: agentNode('n1') });
  await to.send('POST', PODS, { as: 'admin', body: podBody('x', { nodeName: 'n1' }) });
  await to.send('POST', PODS, { as: 'admin', body: podBody('pending') });
  const containers = ['a', 'b'].map((name) => ({ name, image: 'i' }));
  await to.send('POST', PODS, { as: 'admin', body: podBody('two', { nodeName: 'n1', containers }) });
};

beforeEach(async () => {
  opened = [];
  api = createTestApi({ sessions: { open: opensAll, accept: takesAll } });
  await fill(api);
});

const uidOf = async (path: string): Promise<string> => (await api.send('GET', path)).json.metadata.uid;
const get = (path: string, more: object = {}) => api.send('GET', `${PODS}/${path}`, { as: 'admin', ...more });

describe('requests for streams', () => {
  it('are asked of the node of the pod, with what the node answers', async () => {
    const { code, json } = await get('x/log?follow=true&tailLines=3');
    expect([code, json]).toEqual([200, 'from the node']);
    expect(opened).toMatchObject([
      {
        node: { name: 'n1', uid: await uidOf(`${NODES}/n1`) },
        endpoint: { addresses: ['10.0.0.1'], port: 10_250, fingerprint: FINGERPRINT },
        target: { path: '/containerLogs/default/x/c', query: 'follow=true&tailLines=3' },
        user: 'admin',
      },
    ]);
  });

  it('exec, attach and port-forward need an upgrade', async () => {
    const exec = 'x/exec?command=ls&command=-l&stdout=true';
    expect(statusOf(await get(exec))).toEqual([400, 'BadRequest', 'Upgrade request required']);
    const uid = await uidOf(`${PODS}/x`);
    for (const path of [exec, 'x/attach?stdin=1&tty=true', 'x/portforward?ports=80']) {
      expect((await get(path, { headers: UPGRADE })).code).toBe(200);
      expect((await api.send('POST', `${PODS}/${path}`, { as: 'admin', headers: UPGRADE })).code).toBe(200);
    }
    expect(opened.map(({ target }) => `${target.path}?${target.query}`)).toEqual([
      ...Array(2).fill(`/exec/default/x/${uid}/c?command=ls&command=-l&output=1`),
      ...Array(2).fill(`/attach/default/x/${uid}/c?input=1&tty=1`),
      ...Array(2).fill(`/portForward/default/x/${uid}?port=80`),
    ]);
  });

  it.each([
    ['gone/log', 404, 'pods "gone" not found'],
    ['two/log', 400, 'a container name must be specified for pod two, choose one of: [a b]'],
    ['x/log?container=z', 400, 'container z is not valid for pod x'],
    ['x/log?tailLines=x', 400, 'strconv.ParseInt: parsing "x": invalid syntax'],
    ['x/log?sinceTime=x', 400, 'parsing time "x" as "2006-01-02T15:04:05Z07:00": cannot parse "x" as "2006"'],
    [
      'x/log?tailLines=-1&limitBytes=0',
      422,
      'PodLogOptions "x" is invalid: [tailLines: Invalid value: -1: must be greater than or equal to 0, limitBytes: Invalid value: 0: must be greater than 0]',
    ],
    ['pending/exec?command=ls&stdout=1', 400, 'pod pending does not have a host assigned'],
    ['pending/portforward', 400, 'pod pending does not have a host assigned'],
    ['x/exec?command=ls', 400, 'you must specify at least 1 of stdin, stdout, stderr'],
    ['x/portforward?ports=a', 400, 'strconv.ParseInt: parsing "a": invalid syntax'],
  ])('J-180, J-181, J-184: %s is refused with %i', async (path, code, message) => {
    const answer = await get(path, { headers: UPGRADE });
    expect([answer.code, answer.json.message]).toEqual([code, message]);
    expect(opened).toEqual([]);
  });

  it('the log of a pod without a node is empty', async () => {
    expect(await get('pending/log')).toMatchObject({ code: 204, json: '' });
  });

  it('J-185: a node that has not told its certificate is not asked', async () => {
    await api.send('POST', NODES, { as: 'admin', body: agentNode('n2', {}) });
    await api.send('POST', PODS, { as: 'admin', body: podBody('y', { nodeName: 'n2' }) });
    const [code, reason, message] = statusOf(await get('y/log'));
    expect([code, reason]).toEqual([500, 'InternalError']);
    expect(message).toContain('node n2 has not told its certificate');
  });

  it('J-183: nodes/proxy passes what is read of a node, and nothing else', async () => {
    const answer = await api.send('GET', `${NODES}/n1/proxy/stats/summary?only_cpu_and_memory=true`);
    expect(answer.code).toBe(200);
    expect(opened[0]?.target).toEqual({ path: '/stats/summary', query: 'only_cpu_and_memory=true' });
    expect((await api.send('GET', `${NODES}/n1/proxy/exec/default/x/u/c`)).code).toBe(400);
    expect((await api.send('GET', `${NODES}/gone/proxy/metrics`)).code).toBe(404);
    expect((await api.send('POST', `${NODES}/n1/proxy/metrics`)).code).toBe(405);
  });

  it('a function names what to run instead', async () => {
    const lambda = createTestApi();
    await fill(lambda);
    const answer = await lambda.send('GET', `${PODS}/x/exec?command=ls&stdout=true`);
    expect(statusOf(answer).slice(0, 2)).toEqual([501, 'NotImplemented']);
    expect(answer.json.message).toContain('run `rollcall proxy`');
  });
});

describe('who may ask for streams', () => {
  it('a node may not, not even for its own pods; a viewer may read logs only', async () => {
    const node = { as: 'system:node:n1', nodeUid: await uidOf(`${NODES}/n1`), headers: UPGRADE };
    const viewer = { as: 'viewer', headers: UPGRADE };
    const code = async (path: string, sent: object) => (await api.send('GET', path, sent)).code;
    for (const path of ['log', 'exec?command=ls&stdout=1', 'attach?stdout=1', 'portforward'])
      expect([path, await code(`${PODS}/x/${path}`, node)]).toEqual([path, 403]);
    expect(await code(`${NODES}/n1/proxy/metrics`, node)).toBe(403);
    expect(await code(`${PODS}/x/log`, viewer)).toBe(200);
    expect(await code(`${PODS}/x/exec?command=ls&stdout=1`, viewer)).toBe(403);
    expect(await code(`${NODES}/n1/proxy/metrics`, viewer)).toBe(403);
    const other = {
      as: 'system:node:n1',
      nodeUid: await uidOf(`${NODES}/n1`),
      body: { method: 'GET', path: `${PODS}/x/log` },
    };
    expect((await api.send('POST', SESSIONS, { ...other, type: 'application/json' })).code).toBe(403);
  });
});

const post = (body: unknown, as = 'admin') =>
  api.send('POST', SESSIONS, { as, body, type: 'application/json' });

describe('sessions for a gateway', () => {
  it('have what it takes to send the request', async () => {
    const { code, json } = await post({ method: 'GET', path: `${PODS}/x/log?tailLines=1` });
    expect([code, json]).toMatchObject([
      201,
      {
        kind: 'NodeSession',
        apiVersion: 'rollcall.dev/v1',
        metadata: { name: 'n1' },
        status: {
          addresses: ['10.0.0.1'],
          port: 10_250,
          fingerprint: FINGERPRINT,
          user: 'admin',
          upgrades: false,
          path: '/containerLogs/default/x/c',
          query: 'tailLines=1',
          token: expect.any(String),
        },
      },
    ]);
    expect(opened).toEqual([]);
  });

  it.each([
    [{ method: 'GET', path: `${PODS}/x` }, 'admin', 400],
    [{ method: 'DELETE', path: `${PODS}/x/log` }, 'admin', 400],
    [{ method: 'POST', path: `${PODS}/x/log` }, 'admin', 400],
    [{ path: 'x' }, 'admin', 400],
    [{ method: 'GET', path: `${PODS}/gone/log` }, 'admin', 404],
    [{ method: 'GET', path: `${PODS}/x/exec?command=ls` }, 'viewer', 403],
    [{ method: 'GET', path: `${PODS}/pending/log` }, 'viewer', 204],
  ])('%j by %s: %i', async (body, as, code) => {
    expect((await post(body, as)).code).toBe(code);
  });
});

const decoded = (part = '') => JSON.parse(Buffer.from(part, 'base64url').toString());

describe('J-186: the token of a session', () => {
  it('names one request, one node and one user, and is checked by the public key', async () => {
    const { json } = await post({ method: 'POST', path: `${PODS}/x/exec?command=ls&stdout=true` });
    const [header, claims, signature = ''] = json.status.token.split('.');
    expect(decoded(header)).toEqual({ alg: 'EdDSA', typ: 'JWT', kid: 'k1-sessions' });
    expect(decoded(claims)).toEqual({
      iss: 'test',
      aud: `https://rollcall.dev/nodes/${await uidOf(`${NODES}/n1`)}`,
      sub: 'admin',
      jti: expect.any(String),
      iat: START / 1000,
      exp: START / 1000 + 60,
      'rollcall.dev/request': { path: json.status.path, query: 'command=ls&output=1' },
    });
    const { keys } = (await api.send('GET', '/openid/v1/jwks', { as: 'viewer' })).json;
    const key = createPublicKey({ key: keys[0] as JsonWebKey, format: 'jwk' });
    expect(keys[0]).toMatchObject({
      kty: 'OKP',
      crv: 'Ed25519',
      kid: 'k1-sessions',
      alg: 'EdDSA',
      use: 'sig',
    });
    const isValid = verify(
      null,
      Buffer.from(`${header}.${claims}`),
      key,
      Buffer.from(signature, 'base64url'),
    );
    expect(isValid).toBe(true);
  });

  it('the key set has an older key for those who ask by its id, and is nobody’s who has no token', async () => {
    const kids = async (query: string) =>
      (await api.send('GET', `/openid/v1/jwks${query}`)).json.keys.map(({ kid }: { kid: string }) => kid);
    expect(await kids('')).toEqual(['k1-sessions']);
    expect(await kids('?kid=k2-sessions')).toEqual(['k1-sessions', 'k2-sessions']);
    expect(await kids('?kid=k1-sessions')).toEqual(['k1-sessions']);
    expect(await kids('?kid=other')).toEqual(['k1-sessions']);
    expect((await api.send('GET', '/openid/v1/jwks', {})).code).toBe(403);
    expect((await api.send('POST', '/openid/v1/jwks')).code).toBe(405);
  });

  it('is not one for this API', async () => {
    const { json } = await post({ method: 'GET', path: `${PODS}/x/log` });
    expect((await api.send('GET', PODS, { token: json.status.token })).code).toBe(401);
  });
});
