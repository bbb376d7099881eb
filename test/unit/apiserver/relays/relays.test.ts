import { beforeEach, describe, expect, it } from 'vitest';
import { issueToken } from '../../../../shared/apiserver/access/authentication.ts';
import { GROUP_NODES, GROUP_RELAYS } from '../../../../shared/kube/types/well-known.ts';
import type { RelaySummary } from '../../../../shared/rules/relays/relay-summary.ts';
import { nextSighting } from '../../../../shared/store/beats/relay-records.ts';
import {
  createTestApi,
  type Json,
  keysSigningWith,
  NODES,
  nodeBody,
  START,
  type TestApi,
} from '../../../support/servers/api.ts';

const RELAYS = '/apis/rollcall.dev/v1/relays';
const SECOND = 1_000;
const DAY = 86_400 * SECOND;

let api: TestApi;
let elapsedMs: number;

beforeEach(() => {
  api = createTestApi();
  elapsedMs = 0;
});

const now = (): number => START + elapsedMs;

const advance = (ms: number): void => {
  api.advance(ms);
  elapsedMs += ms;
};

/** What a pass has found. */
const found = async (relay: string, rest: Partial<RelaySummary> = {}): Promise<void> => {
  const key = { topic: 'told', name: `relay/${relay}` } as const;
  const read = await api.control.sighting(key);
  const next = nextSighting(
    { relay, state: 'Ready', parts: 1, nodes: 1, zones: ['a'], ...rest },
    read,
    now(),
  );
  await api.control.replaceSighting(key, read, next);
};

const relayToken = (relay: string, issuedAt = now()): Promise<string> =>
  issueToken(
    { signingKeys: keysSigningWith('k1'), clusterId: 'test' },
    { name: `system:relay:${relay}`, groups: [GROUP_RELAYS], issuedAt, expiresAt: issuedAt + 90 * DAY },
  );

const batch = async (relay: string, sequence: number, more: object = {}, token?: string) =>
  api.sendHeartbeat('POST', '/apis/rollcall.dev/v1/heartbeats', {
    token: token ?? (await relayToken(relay)),
    body: { relay, part: 0, sequence, ...more },
  });

/** A Node and its token. */
const machine = async (name: string): Promise<{ readonly uid: string; readonly token: string }> => {
  const { uid } = (await api.send('POST', NODES, { as: 'admin', body: nodeBody(name) })).json.metadata;
  const token = await issueToken(
    { signingKeys: keysSigningWith('k1'), clusterId: 'test' },
    {
      name: `system:node:${name}`,
      groups: [GROUP_NODES],
      nodeUid: uid,
      issuedAt: now(),
      expiresAt: now() + DAY,
    },
  );
  return { uid, token };
};

/** A relay with n1 on its roster. */
const aRelay = async (relay = 'site-a'): Promise<void> => {
  const { uid, token } = await machine('n1');
  const nodes = [{ name: 'n1', uid, ageMs: 0 }];
  expect((await batch(relay, 1, { enrol: [{ name: 'n1', token }], nodes })).code).toBe(200);
  await found(relay);
};

const names = ({ items }: Json): readonly string[] => items.map((item: Json) => item.metadata.name);

describe('kubectl get relays', () => {
  it('shows each relay with its state and the time of its last batch (J-322)', async () => {
    await aRelay();
    advance(5 * SECOND);
    const { code, json } = await api.send('GET', `${RELAYS}/site-a`, { as: 'viewer' });
    expect(code).toBe(200);
    expect(json).toEqual({
      kind: 'Relay',
      apiVersion: 'rollcall.dev/v1',
      metadata: { name: 'site-a', uid: 'site-a', resourceVersion: String(START) },
      status: {
        state: 'Ready',
        lastTransitionTime: '2026-03-01T12:00:00Z',
        lastBatchTime: '2026-03-01T12:00:00Z',
        nodes: 1,
        parts: 1,
        zones: ['a'],
      },
    });
    expect(names((await api.send('GET', RELAYS, { as: 'viewer' })).json)).toEqual(['site-a']);
  });

  it('as a table', async () => {
    await aRelay();
    advance(25 * SECOND);
    const accept = 'application/json;as=Table;v=v1;g=meta.k8s.io';
    const { json } = await api.send('GET', RELAYS, { as: 'admin', headers: { accept } });
    expect(json.columnDefinitions.map(({ name }: Json) => name)).toEqual([
      'Name',
      'State',
      'Nodes',
      'Zones',
      'Last Batch',
      'Since',
      'Parts',
    ]);
    expect(json.rows[0].cells).toEqual(['site-a', 'Silent', 1, 'a', '25s', '25s', 1]);
  });

  it('says what has changed since the last pass: that it is silent, or speaks again', async () => {
    await aRelay();
    advance(21 * SECOND);
    const state = async () => (await api.send('GET', `${RELAYS}/site-a`)).json.status.state;
    expect(await state()).toBe('Silent');
    await found('site-a', { state: 'CutOff' });
    expect(await state()).toBe('CutOff');
    await batch('site-a', 2);
    expect(await state()).toBe('Ready');
  });

  it('in pages, which read the batches of 1,000 parts at most', async () => {
    await found('large', { parts: 900 });
    await found('larger', { parts: 1_000 });
    await found('little', { parts: 1 });
    await found('tiny', { parts: 1 });
    let reads = 0;
    const { readRelay } = api.heartbeats;
    Object.assign(api.heartbeats, {
      readRelay: (part: Parameters<typeof readRelay>[0]) => {
        reads += 1;
        return readRelay(part);
      },
    });
    const pages: (readonly string[])[] = [];
    let next = '';
    do {
      const { json } = await api.send('GET', `${RELAYS}?continue=${encodeURIComponent(next)}`);
      pages.push(names(json));
      next = json.metadata.continue ?? '';
      expect(reads).toBeLessThanOrEqual(1_000);
      reads = 0;
    } while (next !== '');
    expect(pages).toEqual([['large'], ['larger'], ['little', 'tiny']]);
    const { json } = await api.send('GET', `${RELAYS}?limit=2&fieldSelector=metadata.name!=larger`);
    expect(names(json)).toEqual(['large', 'little']);
    expect(json.metadata.remainingItemCount).toBe(1);
  });

  it.each([
    ['GET', 'system:node:n1', 403],
    ['GET', 'bootstrapper', 403],
    ['DELETE', 'viewer', 403],
    ['GET', 'admin', 404],
    ['DELETE', 'admin', 404],
  ])('%s by %s: %d', async (method, as, code) => {
    expect((await api.send(method, `${RELAYS}/none`, { as })).code).toBe(code);
  });
});

describe('kubectl delete relay (J-323)', () => {
  const remove = (body?: object) =>
    api.send('DELETE', `${RELAYS}/site-a`, { as: 'admin', ...(body ? { body } : {}) });

  it('is refused while the relay works', async () => {
    await aRelay();
    const { code, json } = await remove();
    expect(code).toBe(409);
    expect(json.message).toContain('stop it first; 20 s after its last batch it may be deleted');
  });

  it('is refused while its site is cut off', async () => {
    await aRelay();
    advance(60 * SECOND);
    await found('site-a', { state: 'CutOff' });
    const { code, json } = await remove();
    expect(code).toBe(409);
    expect(json.message).toContain('delete those Nodes first');
    expect((await api.send('GET', `${RELAYS}/site-a`)).code).toBe(200);
  });

  it('empties its roster, makes its tokens void, and lists it no longer', async () => {
    const token = await relayToken('site-a');
    await aRelay();
    advance(60 * SECOND);
    expect((await remove({ dryRun: ['All'] })).code).toBe(200);
    expect((await api.send('GET', `${RELAYS}/site-a`)).code).toBe(200);
    const { code, json } = await remove({ propagationPolicy: 'Background' });
    expect([code, json.status, json.details.name]).toEqual([200, 'Success', 'site-a']);
    expect((await api.send('GET', `${RELAYS}/site-a`)).code).toBe(404);
    expect((await api.heartbeats.readRelay({ relay: 'site-a', part: 0 })).roster).toEqual({
      revision: 2,
      entries: [],
      closedAt: START + 60 * SECOND,
    });
    const refused = await batch('site-a', 2, {}, token);
    expect(refused.code).toBe(403);
    expect(refused.json.message).toContain('was deleted at 2026-03-01T12:01:00Z');
    expect((await api.send('POST', `${RELAYS}/site-a/token`, { token })).code).toBe(403);
  });

  it('a new token of the same name makes it a relay again', async () => {
    await aRelay();
    advance(60 * SECOND);
    await remove();
    advance(SECOND);
    const { uid, token } = await machine('n2');
    const nodes = [{ name: 'n2', uid, ageMs: 0 }];
    expect((await batch('site-a', 1, {})).code).toBe(409);
    expect((await batch('site-a', 2, { enrol: [{ name: 'n2', token }], nodes })).code).toBe(200);
    expect((await batch('site-a', 3, {}, await relayToken('site-a', START))).code).toBe(403);
  });

  it.each([1, 999])('makes its tokens void for part %i, which it did not have', async (part) => {
    const old = await relayToken('site-a');
    await aRelay();
    advance(60 * SECOND);
    await remove();
    advance(SECOND);
    const { uid, token } = await machine('n2');
    const joins = { part, enrol: [{ name: 'n2', token }], nodes: [{ name: 'n2', uid, ageMs: 0 }] };
    const roster = async () => (await api.heartbeats.readRelay({ relay: 'site-a', part })).roster;
    expect((await batch('site-a', 1, joins, old)).code).toBe(403);
    expect(await roster()).toBeUndefined();
    expect((await batch('site-a', 1, joins)).json).toMatchObject({ sequence: 1 });
    expect(await roster()).toMatchObject({ revision: 1, closedAt: START + 60 * SECOND });
    expect((await batch('site-a', 2, { part }, old)).code).toBe(403);
    expect((await batch('site-a', 2, { part })).code).toBe(200);
  });

  it('is refused when a node has joined meanwhile', async () => {
    await aRelay();
    advance(60 * SECOND);
    const { readRelay, replaceRoster } = api.heartbeats;
    Object.assign(api.heartbeats, {
      readRelay: async (part: Parameters<typeof readRelay>[0]) => {
        const read = await readRelay(part);
        await replaceRoster(part, 1, { revision: 7, entries: [] }, now() + DAY);
        return read;
      },
    });
    expect((await remove()).json).toMatchObject({ code: 409, reason: 'Conflict' });
  });

  it('of another uid is refused', async () => {
    await aRelay();
    advance(60 * SECOND);
    expect((await remove({ preconditions: { uid: 'other' } })).code).toBe(409);
  });
});

describe('the token of a relay (J-321)', () => {
  const ask = async (
    relay: string,
    as: { readonly token: string } | { readonly as: string },
    body?: object,
  ) => api.send('POST', `${RELAYS}/${relay}/token`, { ...as, ...(body ? { body } : {}) });

  it('is renewed by the relay itself, for as long as it asks', async () => {
    const own = { token: await relayToken('site-a') };
    advance(10 * DAY);
    const { code, json } = await ask('site-a', own, { ttlSeconds: 3_600 });
    expect(code).toBe(201);
    expect(json).toMatchObject({
      kind: 'RelayToken',
      apiVersion: 'rollcall.dev/v1',
      metadata: { name: 'site-a' },
      status: { expirationTimestamp: '2026-03-11T13:00:00Z' },
    });
    expect((await batch('site-a', 1, {}, json.status.token)).code).toBe(200);
    expect((await ask('site-a', { token: json.status.token })).json.status.expirationTimestamp).toBe(
      '2026-04-10T12:00:00Z',
    );
  });

  it.each([
    ['another relay', 'site-b', 403],
    ['itself', 'site-a', 201],
  ])('for %s', async (_name, relay, code) => {
    expect((await ask(relay, { token: await relayToken('site-a') })).code).toBe(code);
  });

  it.each([
    ['admin', 201],
    ['viewer', 403],
    ['bootstrapper', 403],
    ['system:node:n1', 403],
    ['somebody', 403],
  ])('by %s: %d', async (as, code) => {
    expect((await ask('site-a', { as })).code).toBe(code);
  });

  it('of a relay whose token has expired is refused', async () => {
    const token = await relayToken('site-a');
    advance(91 * DAY);
    expect((await ask('site-a', { token })).code).toBe(401);
  });

  it.each([
    [{ ttlSeconds: 59 }, 'ttlSeconds must be a whole number from 60 to 31536000'],
    [{ ttlSeconds: 366 * 86_400 }, 'ttlSeconds must be a whole number from 60 to 31536000'],
    [{ ttlSeconds: '1h' }, 'ttlSeconds must be a whole number from 60 to 31536000'],
  ])('for %j is refused', async (body, message) => {
    expect((await ask('site-a', { as: 'admin' }, body)).json).toMatchObject({ code: 400, message });
  });

  it('of no name is refused, and with dryRun', async () => {
    expect((await ask('Site_A', { as: 'admin' })).json.message).toContain('is not a name of a relay');
    const dry = await api.send('POST', `${RELAYS}/site-a/token?dryRun=All`, { as: 'admin' });
    expect(dry.code).toBe(400);
  });
});
