import { beforeEach, describe, expect, it } from 'vitest';
import { GROUP_NODES, GROUP_RELAYS } from '../../../../shared/kube/types/well-known.ts';
import { packAges } from '../../../../shared/rules/relays/packed-ages.ts';
import {
  createTestApi,
  NODES,
  nodeBody,
  START,
  signedToken,
  type TestApi,
} from '../../../support/servers/api.ts';

const BATCHES = '/apis/rollcall.dev/v1/heartbeats';
const HOUR = 3_600_000;

interface Machine {
  readonly name: string;
  readonly uid: string;
  readonly token: string;
}

let api: TestApi;
let n0: Machine;
let n1: Machine;

const machine = async (name: string): Promise<Machine> => {
  const { json } = await api.send('POST', NODES, { as: 'admin', body: nodeBody(name) });
  const { uid } = json.metadata;
  return { name, uid, token: await signedToken(`system:node:${name}`, [GROUP_NODES], uid) };
};

beforeEach(async () => {
  api = createTestApi();
  n0 = await machine('n0');
  n1 = await machine('n1');
});

const send = async (body: object, by = 'system:relay:site-a') =>
  api.sendHeartbeat('POST', BATCHES, {
    token: await signedToken(by, [GROUP_RELAYS]),
    body: { version: 2, relay: 'site-a', ...body },
  });

const joining = ({ name, uid, token }: Machine, part: number, sequence = 1) => ({
  part,
  sequence,
  enrol: [{ name, token }],
  nodes: [{ name, uid, ageMs: 5 }],
});

const heard = ({ name, uid }: Machine, part: number, sequence: number) => ({
  part,
  sequence,
  workChanges: 0,
  nodes: [{ name, uid, ageMs: 7, plain: true }],
});

const joinBoth = () => send({ parts: [joining(n0, 0), joining(n1, 1)] });
const stored = (part: number) => api.heartbeats.readRelay({ relay: 'site-a', part });

describe('a batch of several parts (J-326, J-327)', () => {
  it('has an answer for each part', async () => {
    const { code, json } = await joinBoth();
    expect(code).toBe(200);
    expect(json).toEqual({
      kind: 'RelayReceipt',
      apiVersion: 'rollcall.dev/v1',
      relay: 'site-a',
      observedAt: '2026-03-01T12:00:00Z',
      graceSeconds: 40,
      nextBatchSeconds: 10,
      batchVersions: [1, 2],
      parts: [
        { part: 0, code: 200, sequence: 1, workChanges: 0, work: { n0: '0' } },
        { part: 1, code: 200, sequence: 1, workChanges: 0, work: { n1: '0' } },
      ],
    });
    const { json: next } = await send({ parts: [heard(n1, 1, 2), heard(n0, 0, 2)] });
    expect(next.parts).toEqual([
      { part: 1, code: 200, sequence: 2, workChanges: 0 },
      { part: 0, code: 200, sequence: 2, workChanges: 0 },
    ]);
    expect((await stored(1)).beats).toEqual({
      sequence: 2,
      receivedAt: START,
      roster: 1,
      ages: packAges([{ ageMs: 5, isPlain: false }]),
    });
  });

  it('counts for the same nodes as batches of one part, which are served as before (J-328)', async () => {
    await joinBoth();
    const { version: _, ...alone } = { version: 1, relay: 'site-a', ...heard(n0, 0, 2) };
    const token = await signedToken('system:relay:site-a', [GROUP_RELAYS]);
    const { code } = await api.sendHeartbeat('POST', BATCHES, { token, body: alone });
    expect([code, (await stored(0)).beats?.sequence]).toEqual([200, 2]);
    const { json } = await send({ parts: [heard(n0, 0, 3)] });
    expect(json.parts).toMatchObject([{ part: 0, code: 200, sequence: 3 }]);
  });

  it.each<[string, () => object, object]>([
    ['was sent before', () => heard(n0, 0, 1), { code: 409, reason: 'Conflict', sequence: 1 }],
    ['is a million and one ahead', () => heard(n0, 0, 1_000_002), { code: 409, sequence: 1 }],
    ['has an age below 0', () => ({ ...heard(n0, 0, 2), nodes: [{ ...n0, ageMs: -1 }] }), { code: 400 }],
    [
      'names a node twice',
      () => ({ ...heard(n0, 0, 2), nodes: Array(2).fill({ ...n0, ageMs: 1 }) }),
      { code: 400 },
    ],
    [
      'has 101 nodes',
      () => ({ ...heard(n0, 0, 2), nodes: Array(101).fill({ ...n0, ageMs: 1 }) }),
      { code: 400 },
    ],
    ['shows 41 tokens', () => ({ ...heard(n0, 0, 2), enrol: Array(41).fill(n0) }), { code: 400 }],
    ['has no sequence', () => ({ part: 0 }), { code: 400 }],
    ['is said to be of another relay', () => ({ ...heard(n0, 0, 2), relay: 'site-b' }), { code: 400 }],
  ])('a part that %s is refused alone, and changes nothing (J-327)', async (_name, faulty, answer) => {
    await joinBoth();
    const before = await stored(0);
    const { code, json } = await send({ parts: [faulty(), heard(n1, 1, 2)] });
    expect(code).toBe(200);
    expect(json.parts).toMatchObject([
      { part: 0, ...answer },
      { part: 1, code: 200, sequence: 2 },
    ]);
    expect(json.parts[0].message).toBeTypeOf('string');
    expect(await stored(0)).toEqual(before);
  });

  it('a node of another part is none of this one (J-162)', async () => {
    await joinBoth();
    const { json } = await send({ parts: [{ ...heard(n0, 1, 2) }] });
    expect(json.parts[0].refused).toEqual([{ name: 'n0', uid: n0.uid, reason: 'notOnRoster' }]);
  });

  it('of a relay that was deleted is refused part by part (J-323)', async () => {
    const closed = { revision: 1, entries: [], closedAt: START };
    await api.heartbeats.replaceRoster({ relay: 'site-a', part: 0 }, undefined, closed, START + HOUR);
    const { json } = await joinBoth();
    expect(json.parts).toMatchObject([
      { part: 0, code: 403 },
      { part: 1, code: 403 },
    ]);
  });

  it('a part whose roster somebody else has changed is to be sent again, the others are stored', async () => {
    await joinBoth();
    const { heartbeats } = api;
    const replaceRoster = heartbeats.replaceRoster;
    Object.assign(heartbeats, { replaceRoster: async () => false });
    const { json } = await send({ parts: [joining(n0, 0, 2), heard(n1, 1, 2)] });
    Object.assign(heartbeats, { replaceRoster });
    expect(json.parts).toMatchObject([
      { part: 0, code: 409 },
      { part: 1, code: 200 },
    ]);
    expect(json.parts[0]).not.toHaveProperty('sequence');
  });

  const many = (count: number) => Array.from({ length: count }, (_, part) => ({ part, sequence: 2 }));
  const tokens = (count: number) => Array.from({ length: count }, (_, n) => ({ name: `n${n}`, token: 't' }));

  it.each<[string, () => object, number, string]>([
    ['10,000 parts', () => ({ parts: Array(10_000).fill({ part: 1 }) }), 413, 'more than 20000 values'],
    ['101 parts', () => ({ parts: many(101) }), 400, 'at most 100'],
    ['no part', () => ({ parts: [] }), 400, 'must have a part'],
    ['parts that are no list', () => ({ parts: { 0: heard(n0, 0, 2) } }), 400, 'parts must be a list'],
    ['a part that is no object', () => ({ parts: [heard(n0, 0, 2), 7] }), 400, 'parts must be a list'],
    ['a part twice', () => ({ parts: [heard(n0, 0, 2), heard(n0, 0, 3)] }), 400, 'each part once'],
    ['a part that no relay has', () => ({ parts: [heard(n0, 0, 2), { part: 1_000 }] }), 400, 'part must be'],
    [
      '201 tokens in all',
      () => ({ parts: many(6).map((one) => ({ ...one, enrol: tokens(one.part < 5 ? 40 : 1) })) }),
      400,
      'at most 200 tokens',
    ],
    [
      'more than 256 KB',
      () => ({ parts: [heard(n0, 0, 2)], filler: 'x'.repeat(262_144) }),
      413,
      'limit is 262144',
    ],
    ['no name of a relay', () => ({ relay: '', parts: [heard(n0, 0, 2)] }), 400, 'relay must be'],
    [
      'a version that is not served',
      () => ({ version: 3, parts: [heard(n0, 0, 2)] }),
      400,
      'version must be',
    ],
    [
      'the name of another relay',
      () => ({ relay: 'site-b', parts: [heard(n0, 0, 2)] }),
      403,
      'may not speak for',
    ],
  ])('with %s is refused as a whole (J-326)', async (_name, body, code, message) => {
    await joinBoth();
    const before = await stored(0);
    const answer = await send(body());
    expect(answer.code).toBe(code);
    expect(answer.json.message).toContain(message);
    expect(await stored(0)).toEqual(before);
  });

  it('may be as large as relays make it: 26 parts of 100 nodes', async () => {
    const nodes = Array.from({ length: 100 }, (_, n) => ({
      name: `n${n}`,
      uid: crypto.randomUUID(),
      ageMs: 9,
      plain: true,
    }));
    const { code } = await send({ parts: many(26).map((one) => ({ ...one, nodes })) });
    expect(code).toBe(200);
  });

  it('may have 100 parts', async () => {
    const { json } = await send({ parts: many(100) });
    expect(json.parts.map(({ code }: { readonly code: number }) => code)).toEqual(Array(100).fill(200));
  });
});
