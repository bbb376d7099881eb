import { beforeEach, describe, expect, it } from 'vitest';
import { issueToken } from '../../../../shared/apiserver/access/authentication.ts';
import { GROUP_NODES, GROUP_RELAYS } from '../../../../shared/kube/types/well-known.ts';
import { packAges } from '../../../../shared/rules/relays/packed-ages.ts';
import {
  createTestApi,
  keysSigningWith,
  NODES,
  nodeBody,
  START,
  signedToken,
  type TestApi,
} from '../../../support/servers/api.ts';

const BATCHES = '/apis/rollcall.dev/v1/heartbeats';
const PART = { relay: 'site-a', part: 0 };
const HOUR = 3_600_000;

let api: TestApi;
let uid: string;

beforeEach(async () => {
  api = createTestApi();
  uid = (await api.send('POST', NODES, { as: 'admin', body: nodeBody('n1') })).json.metadata.uid;
});

const nodeToken = (name = 'n1', nodeUid = uid, lastsMs = HOUR) =>
  signedToken(`system:node:${name}`, [GROUP_NODES], nodeUid, lastsMs);

const send = async (body: object, by = 'system:relay:site-a') =>
  api.sendHeartbeat('POST', BATCHES, {
    token: await signedToken(by, [GROUP_RELAYS]),
    body: { ...PART, ...body },
  });

/** Sends the first batch, with which n1 joins. */
const join = async (ageMs = 0) =>
  send({
    sequence: 1,
    enrol: [{ name: 'n1', token: await nodeToken() }],
    nodes: [{ name: 'n1', uid, ageMs }],
  });

const stored = () => api.heartbeats.readRelay(PART);

describe('a batch of a relay', () => {
  it('has the ages of nodes that have shown their tokens', async () => {
    api.advance(60_000);
    const { code, json } = await join(1_500);
    expect(code).toBe(200);
    expect(json).toEqual({
      kind: 'RelayReceipt',
      apiVersion: 'rollcall.dev/v1',
      ...PART,
      sequence: 1,
      observedAt: '2026-03-01T12:01:00Z',
      graceSeconds: 40,
      nextBatchSeconds: 10,
      batchVersions: [1, 2],
      workChanges: 0,
      work: { n1: '0' },
    });
    expect(await stored()).toEqual({
      roster: { revision: 1, entries: [{ name: 'n1', uid, untilAt: START + HOUR, since: 1 }] },
      beats: {
        sequence: 1,
        receivedAt: START + 60_000,
        roster: 1,
        ages: packAges([{ ageMs: 1_500, isPlain: false }]),
      },
    });
    expect(await api.heartbeats.entries(['n1'])).toMatchObject([{ relays: ['site-a#0'] }]);
  });

  it('that follows costs one read and one write, and tells new work only', async () => {
    await join();
    const next = { workChanges: 0, nodes: [{ name: 'n1', uid, ageMs: 5, plain: true }] };
    expect((await send({ sequence: 2, ...next })).json).not.toHaveProperty('work');
    await api.heartbeats.bumpWorkRevision('n1', START);
    expect((await send({ sequence: 3, ...next })).json).toMatchObject({
      workChanges: 1,
      work: { n1: String(START) },
    });
    expect((await send({ sequence: 4, ...next, workChanges: 1 })).json).not.toHaveProperty('work');
  });

  it.each([
    ['repeated', 5],
    ['late', 4],
    ['far ahead', 2 ** 53 - 1],
  ])('that is %s changes nothing, and is told the stored sequence (J-160)', async (_name, sequence) => {
    await join();
    await send({ sequence: 5 });
    const before = await stored();
    api.advance(20_000);
    const { code, headers, json } = await send({ sequence, nodes: [{ name: 'n1', uid, ageMs: 0 }] });
    expect(code).toBe(409);
    expect(json).toMatchObject({ kind: 'Status', reason: 'Conflict' });
    expect(headers['rollcall-relay-sequence']).toBe('5');
    expect(await stored()).toEqual(before);
  });

  it('names whom the relay may not speak for (J-162)', async () => {
    await join();
    const strangers = [
      { name: 'n1', uid: 'another', ageMs: 0 },
      { name: 'n2', uid: 'u2', ageMs: 0 },
    ];
    const { json } = await send({ sequence: 2, nodes: strangers });
    expect(json.refused).toEqual(strangers.map(({ name, uid }) => ({ name, uid, reason: 'notOnRoster' })));
    expect((await stored()).beats?.ages).toEqual(packAges([{ ageMs: 0, isPlain: false }]));
  });

  it('says once of a node that there is no room for it, and not that it is a stranger, so that it moves to another part', async () => {
    const entries = Array.from({ length: 100 }, (_, place) => ({
      name: `m${place}`,
      uid: `u${place}`,
      untilAt: START + HOUR,
      since: 1,
    }));
    await api.heartbeats.replaceRoster(PART, undefined, { revision: 1, entries }, START + HOUR);
    const { refused } = (await join()).json;
    const own = refused.filter(({ name }: { readonly name: string }) => name === 'n1');
    expect(own).toEqual([{ name: 'n1', reason: 'full' }]);
  });

  it('of a token that has expired counts no more (J-162)', async () => {
    await join();
    api.advance(HOUR);
    const token = await issueToken(
      { signingKeys: keysSigningWith('k1'), clusterId: 'test' },
      { name: 'system:relay:site-a', groups: [GROUP_RELAYS], issuedAt: START, expiresAt: START + 2 * HOUR },
    );
    const body = { ...PART, sequence: 2, nodes: [{ name: 'n1', uid, ageMs: 0 }] };
    const { json } = await api.sendHeartbeat('POST', BATCHES, { token, body });
    expect(json.refused).toEqual([{ name: 'n1', uid, reason: 'notOnRoster' }]);
  });

  it('learns that a Node is gone, and its place is free', async () => {
    await join();
    await api.send('DELETE', `${NODES}/n1`);
    const { json } = await send({ sequence: 2 });
    expect(json).toMatchObject({ work: {}, refused: [{ name: 'n1', uid, reason: 'gone' }] });
    const { json: later } = await send({ sequence: 3, nodes: [{ name: 'n1', uid, ageMs: 0 }] });
    expect(later.refused).toEqual([{ name: 'n1', uid, reason: 'notOnRoster' }]);
  });

  it.each([
    ["another node's", () => nodeToken('n2')],
    ['of a Node that is gone', () => nodeToken('n1', 'another')],
    ['expired', () => nodeToken('n1', uid, -1_000)],
    ['of a person', () => signedToken('jane', ['system:masters'])],
    ['that is not bound to a Node', () => signedToken('system:node:n1', [GROUP_NODES])],
    ['that is none', async () => 'nonsense'],
  ])('with a token %s enrols nobody (J-161)', async (_name, token) => {
    const enrol = [{ name: 'n1', token: await token() }];
    const { code, json } = await send({ sequence: 1, enrol, nodes: [{ name: 'n1', uid, ageMs: 0 }] });
    expect(code).toBe(200);
    expect(json.refused[0].reason).toMatch(/token|gone/);
    expect((await stored()).roster?.entries).toEqual([]);
  });

  it.each([
    ['another relay', 'system:relay:site-b', 403],
    ['a viewer', 'rollcall-viewer', 403],
  ])('under the name of a relay is refused to %s', async (_name, by, code) => {
    expect((await send({ sequence: 1 }, by)).code).toBe(code);
    expect(await stored()).toEqual({});
  });

  it('may be sent by an administrator, to the API too', async () => {
    const sent = { as: 'admin', body: { ...PART, sequence: 1 } };
    expect((await api.send('POST', BATCHES, sent)).code).toBe(200);
  });

  it('is no right of a node', async () => {
    const sent = { as: 'system:node:n1', nodeUid: uid, body: { ...PART, sequence: 1 } };
    expect((await api.sendHeartbeat('POST', BATCHES, sent)).code).toBe(403);
  });

  it('a relay may do nothing else', async () => {
    const token = await signedToken('system:relay:site-a', [GROUP_RELAYS]);
    expect((await api.send('GET', NODES, { token })).code).toBe(403);
    expect((await api.send('POST', `/apis/rollcall.dev/v1/nodes/n1/heartbeat`, { token })).code).toBe(403);
  });

  const node = (rest: object) => ({ sequence: 1, nodes: [{ name: 'n1', uid: 'u', ageMs: 0, ...rest }] });

  it.each([
    ['a negative age', node({ ageMs: -1 }), 'ageMs of node "n1"'],
    ['an age that is no number', node({ ageMs: '5' }), 'ageMs of node "n1"'],
    ['an age of null, as NaN is written', node({ ageMs: Number.NaN }), 'ageMs of node "n1"'],
    ['a node without a uid', node({ uid: '' }), 'name and the uid'],
    ['a node twice', { sequence: 1, nodes: [...node({}).nodes, ...node({}).nodes] }, 'each node once'],
    [
      '101 nodes',
      { sequence: 1, nodes: Array.from({ length: 101 }, (_, n) => ({ name: `n${n}` })) },
      'at most 100',
    ],
    [
      '41 tokens',
      { sequence: 1, enrol: Array.from({ length: 41 }, (_, n) => ({ name: `n${n}` })) },
      'at most 40',
    ],
    ['a sequence of 0', { sequence: 0 }, 'sequence must be'],
    ['a sequence beyond all numbers', { sequence: 2 ** 53 }, 'sequence must be'],
    ['a fraction', { sequence: 1.5 }, 'sequence must be'],
    ['a part that no relay has', { sequence: 1, part: 1_000 }, 'part must be'],
    ['no name', { sequence: 1, relay: '' }, 'relay must be'],
  ])('with %s is a mistake (J-165)', async (_name, body, message) => {
    const { code, json } = await send(body);
    expect(code).toBe(400);
    expect(json.message).toContain(message);
  });

  it('of more than 128 KB is refused (J-165)', async () => {
    const { code } = await send({ sequence: 1, filler: 'x'.repeat(131_072) });
    expect(code).toBe(413);
  });
});

describe('the explanation of a node whose site is cut off', () => {
  const silent = { type: 'Ready', status: 'Unknown', reason: 'NodeStatusUnknown', message: 'Silent.' };
  const add = async (name: string) => {
    const node = { metadata: { name }, status: { conditions: [silent] } };
    const { json } = await api.send('POST', NODES, { as: 'admin', body: node });
    return { name, uid: json.metadata.uid, token: await nodeToken(name, json.metadata.uid) };
  };
  const taintOf = async (path: string) => {
    const { json } = await api.send('GET', path);
    return json.answers.find(({ question }: { question: string }) => question === 'taint');
  };

  it('says so, since when and by which relay, until a node of the site is heard (J-167, J-168)', async () => {
    const nodes = [await add('s1'), await add('s2')];
    await send({
      sequence: 1,
      enrol: nodes.map(({ name, token }) => ({ name, token })),
      nodes: nodes.map(({ name, uid: own }) => ({ name, uid: own, ageMs: 0 })),
    });
    const lastBatch = new Date(START).toISOString().replace('.000', '');
    expect((await taintOf(`${NODES}/s1/explain`)).verdict).toBe('WaitsForTaint');
    api.advance(60_000);
    expect(await taintOf(`${NODES}/s1/explain`)).toMatchObject({
      verdict: 'HeldByPartition',
      message: 'not tainted, because its site is cut off',
      because: [
        { fact: 'SiteCutOff', time: lastBatch, values: { relay: 'site-a' } },
        { fact: 'OnPartition', message: 'no node of such a site is evicted (the default)' },
      ],
    });
    const beat = '/apis/rollcall.dev/v1/nodes/s2/heartbeat';
    await api.sendHeartbeat('POST', beat, { token: await nodeToken('s2', nodes[1]?.uid), body: {} });
    expect((await taintOf(`${NODES}/s1/explain`)).verdict).toBe('WaitsForTaint');
  });
});
