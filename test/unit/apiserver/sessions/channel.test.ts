import { beforeEach, describe, expect, it } from 'vitest';
import {
  createTestApi,
  heartbeatPath,
  NODES,
  nodeBody,
  statusOf,
  type TestApi,
} from '../../../support/servers/api.ts';

const CHANNEL = '/apis/rollcall.dev/v1/nodes/n1/channel';
const WORK = '/apis/rollcall.dev/v1/nodes/n1/work';
const UPGRADE = { connection: 'Upgrade', upgrade: 'websocket' };
const URL_OF = { url: 'https://gateway.example:6443', certificate: 'ab'.repeat(32) };
let api: TestApi;
let uid: string;

const opener = {
  open: async () => ({ status: 200, headers: {}, body: '' }),
  accept: (node: object, stream: string) => ({
    status: 200,
    headers: {},
    body: JSON.stringify({ node, stream }),
  }),
};

beforeEach(async () => {
  api = createTestApi({ sessions: opener });
  uid = (await api.send('POST', NODES, { as: 'admin', body: nodeBody('n1') })).json.metadata.uid;
});

const asNode = (more: object = {}) => ({ as: 'system:node:n1', nodeUid: uid, ...more });
const call = (body: unknown, as = 'admin') =>
  api.send('POST', CHANNEL, { as, body, type: 'application/json' });

describe('the channel of a node', () => {
  it('is opened by the node itself, with its streams', async () => {
    const take = async (path: string) => (await api.send('GET', path, asNode({ headers: UPGRADE }))).json;
    expect(await take(`${CHANNEL}?id=x`)).toEqual({ node: { name: 'n1', uid }, stream: '' });
    expect(await take(`${CHANNEL}/s1`)).toEqual({ node: { name: 'n1', uid }, stream: 's1' });
  });

  it('without an upgrade the answer says whose token it is', async () => {
    const { code, json } = await api.send('GET', CHANNEL, asNode());
    expect([code, json]).toEqual([
      200,
      { kind: 'NodeChannel', apiVersion: 'rollcall.dev/v1', metadata: { name: 'n1', uid } },
    ]);
  });

  it('is no other node’s, no viewer’s, and none of a Node that was deleted', async () => {
    const code = async (sent: object) => (await api.send('GET', CHANNEL, { headers: UPGRADE, ...sent })).code;
    const other = (await api.send('POST', NODES, { as: 'admin', body: nodeBody('n2') })).json.metadata.uid;
    expect(await code({ as: 'system:node:n2', nodeUid: other })).toBe(403);
    expect(await code({ as: 'viewer' })).toBe(403);
    await api.send('DELETE', `${NODES}/n1`);
    expect(await code(asNode())).toBe(401);
  });

  it('a function takes none, and names what does', async () => {
    const lambda = createTestApi();
    await lambda.send('POST', NODES, { as: 'admin', body: nodeBody('n1') });
    const answer = await lambda.send('GET', CHANNEL, { as: 'admin', headers: UPGRADE });
    expect(statusOf(answer).slice(0, 2)).toEqual([501, 'NotImplemented']);
  });
});

describe('J-187: the call for a channel', () => {
  it('is in the work of the node, which a new revision announces', async () => {
    const beat = async () =>
      (await api.send('POST', heartbeatPath('n1'), asNode({ body: {} }))).json.workRevision;
    const before = await beat();
    const work = async (headers = {}) => api.send('GET', WORK, asNode({ headers }));
    const first = await work();
    expect(first.json).not.toHaveProperty('channel');
    expect((await call(URL_OF)).code).toBe(201);
    expect(await beat()).not.toBe(before);
    const { json } = await work({ 'if-none-match': first.headers['etag'] });
    expect(json.channel).toEqual({ id: expect.any(String), ...URL_OF });
    await call(URL_OF);
    expect((await work()).json.channel.id).not.toBe(json.channel.id);
  });

  it.each([
    [{ url: 'http://gateway.example', certificate: 'ab'.repeat(32) }, 400],
    [{ url: 'https://gateway.example' }, 400],
    [{ url: 'https://', certificate: 'ab'.repeat(32) }, 400],
    [{ ...URL_OF, certificate: 'x' }, 400],
  ])('%j: %i', async (body, code) => {
    expect((await call(body)).code).toBe(code);
  });

  it('is an administrator’s only, because the node shows its token there; a node cannot write it', async () => {
    expect((await call(URL_OF, 'viewer')).code).toBe(403);
    expect((await api.send('POST', CHANNEL, asNode({ body: URL_OF }))).code).toBe(403);
    const metadata = { annotations: { 'rollcall.dev/channel': '{"id":"x"}' } };
    const patch = asNode({ body: { metadata }, type: 'application/merge-patch+json' });
    expect((await api.send('PATCH', `${NODES}/n1`, patch)).code).toBe(403);
    const certificate = { annotations: { 'rollcall.dev/serving-certificate': 'ab'.repeat(32) } };
    const own = asNode({ body: { metadata: certificate }, type: 'application/merge-patch+json' });
    expect((await api.send('PATCH', `${NODES}/n1`, own)).code).toBe(200);
  });

  it('an annotation that is damaged is none', async () => {
    const metadata = { annotations: { 'rollcall.dev/channel': '{' } };
    await api.send('PATCH', `${NODES}/n1`, {
      as: 'admin',
      body: { metadata },
      type: 'application/merge-patch+json',
    });
    expect((await api.send('GET', WORK, asNode())).json).not.toHaveProperty('channel');
  });
});
