import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { GatewayLimits } from '../../../../gateway/forward/admission.ts';
import { issueToken } from '../../../../shared/apiserver/access/authentication.ts';
import { type Json, keysSigningWith, LEASES, tokenPath } from '../../../support/servers/api.ts';
import { createGatewayWorld, type GatewayWorld } from '../../../support/servers/gateway-world.ts';

const NODES = '/api/v1/nodes';
const WATCH = `${NODES}?watch=1`;
const TABLE = { accept: 'application/json;as=Table;v=v1;g=meta.k8s.io,application/json' };

let world: GatewayWorld;

const renew = async (limits: Partial<GatewayLimits>): Promise<void> => {
  await world.stop();
  world = await createGatewayWorld(limits);
};

beforeEach(async () => {
  world = await createGatewayWorld();
});

afterEach(() => world.stop());

const told = (events: readonly Json[]): readonly string[] =>
  events.map(({ type, object }) => `${type} ${object.metadata?.name ?? object.reason}`);

const many = <T>(count: number, make: () => Promise<T>): Promise<readonly T[]> =>
  Promise.all(Array.from({ length: count }, make));

describe('clients that watch the same', () => {
  it('share one watch of the API, which lasts until the last of them has gone', async () => {
    await world.create('a');
    const clients = await many(20, () => world.open(WATCH));
    await Promise.all(clients.map((client) => client.until(1)));
    await world.create('b');
    const seen = await Promise.all(clients.map((client) => client.until(2)));
    expect(seen.map(told)).toEqual(clients.map(() => ['ADDED a', 'ADDED b']));
    expect(world.http.watches.most).toBe(1);
    for (const { leave } of clients.slice(1)) leave();
    await world.label('a', { x: 'y' });
    expect(told((await clients[0]?.until(3)) ?? [])).toEqual(['ADDED a', 'ADDED b', 'MODIFIED a']);
    clients[0]?.leave();
    await vi.waitUntil(() => world.upstreamWatches() === 0);
  });

  it.each([
    [
      '?watch=1&labelSelector=tier%3Dweb&fieldSelector=',
      '?fieldSelector=&watch=true&labelSelector=tier%3Dweb',
    ],
    ['/?watch=1&labelSelector=tier%3Dweb', '?watch=1&labelSelector=tier%3Dweb&timeoutSeconds=900'],
    [
      '?watch=1&fieldSelector=metadata.name%3Dw',
      '?watch=1&fieldSelector=metadata.name%3Dw&allowWatchBookmarks=1',
    ],
  ])('are known to, however they spell it: %s and %s', async (one, other) => {
    await world.create('w', { tier: 'web' });
    const clients = [await world.open(NODES + one), await world.open(NODES + other)];
    await Promise.all(clients.map((client) => client.until(1)));
    await vi.waitUntil(() => world.upstreamWatches() > 0);
    expect(world.http.watches.most).toBe(1);
    expect([...world.http.watches.open.keys()]).toHaveLength(1);
  });

  it('may use the old paths below /watch/', async () => {
    await world.create('a');
    await world.create('b');
    const client = await world.open('/api/v1/watch/nodes/b');
    await client.until(1);
    await world.label('a', { x: 'y' });
    await world.label('b', { x: 'y' });
    expect(told(await client.until(2))).toEqual(['ADDED b', 'MODIFIED b']);
    expect([...world.http.watches.open.keys()]).toEqual([`${NODES}?&metadata.name=b`]);
  });

  it('share only if they select the same: each selection has its own watch', async () => {
    await world.create('a', { tier: 'web' });
    const all = await world.open(WATCH);
    const web = await world.open(`${WATCH}&labelSelector=tier%3Dweb`);
    await Promise.all([all.until(1), web.until(1)]);
    await world.label('a', { tier: 'db' });
    await world.label('a', { tier: 'db', x: 'y' });
    expect(told(await all.until(3))).toEqual(['ADDED a', 'MODIFIED a', 'MODIFIED a']);
    expect(told(await web.until(2))).toEqual(['ADDED a', 'DELETED a']);
    await vi.waitUntil(() => world.upstreamWatches() === 2);
    expect(world.http.watches.most).toBe(1);
  });

  it('catch up first if they begin at an earlier version, and then share', async () => {
    const early = await world.version();
    await world.create('a');
    await world.create('b');
    const first = await world.open(`${WATCH}&resourceVersion=${await world.version()}`);
    await world.create('c');
    await first.until(1);
    const late = await world.open(`${WATCH}&resourceVersion=${early}`);
    expect(told(await late.until(3))).toEqual(['ADDED a', 'ADDED b', 'ADDED c']);
    await vi.waitUntil(() => world.upstreamWatches() === 1);
    await world.create('d');
    expect(told(await late.until(4)).at(-1)).toBe('ADDED d');
    expect(told(await first.until(2))).toEqual(['ADDED c', 'ADDED d']);
  });
});

describe('who may watch', () => {
  it('is decided by the API: a client gets no events that it may not see', async () => {
    await world.create('a');
    const admin = await world.open(WATCH);
    await admin.until(1);
    const strangers = [await world.openAs(undefined, WATCH), await world.openAs('no.token.atall', WATCH)];
    await world.create('b');
    await admin.until(2);
    expect(strangers.map(({ response }) => response.status)).toEqual([403, 401]);
    expect(String(strangers[0]?.response.body)).toContain('cannot watch resource');
    expect(strangers.map(({ events }) => events)).toEqual([[], []]);
  });

  it.each<[string, Readonly<Record<string, string>>, number]>([
    ['a stranger', { 'impersonate-user': 'nobody' }, 403],
    ['a stranger in a group', { 'impersonate-user': 'nobody', 'impersonate-group': 'team-a' }, 403],
    [
      'a node that may watch itself only',
      { 'impersonate-user': 'system:node:n1', 'impersonate-group': 'system:nodes' },
      403,
    ],
    ['a viewer', { 'impersonate-user': 'v', 'impersonate-group': 'rollcall:viewers' }, 200],
  ])('is asked for the user that an administrator acts as: %s', async (_who, headers, status) => {
    await world.create('a');
    const admin = await world.open(WATCH);
    await admin.until(1);
    await vi.waitUntil(() => world.upstreamWatches() === 1);
    const client = await world.open(WATCH, headers);
    expect(client.response.status).toBe(status);
    await world.create('b');
    await admin.until(2);
    if (status === 200) expect(told(await client.until(2))).toEqual(['ADDED a', 'ADDED b']);
    else expect(client.events).toEqual([]);
  });

  it('clients that impersonate different users share no watch: each has one as its user', async () => {
    const viewers = { 'impersonate-group': 'rollcall:viewers' };
    const clients = [
      await world.open(WATCH),
      await world.open(WATCH, { ...viewers, 'impersonate-user': 'ann' }),
      await world.open(WATCH, { 'impersonate-user': 'ann', ...viewers }),
      await world.open(WATCH, { ...viewers, 'impersonate-user': 'bob' }),
      await world.open(WATCH, { ...viewers, 'impersonate-user': 'ann', 'impersonate-uid': 'u1' }),
      await world.open(WATCH, { ...viewers, 'impersonate-user': 'ann', 'impersonate-extra-scopes': 'x' }),
    ];
    await vi.waitUntil(() => world.upstreamWatches() === 5);
    await world.create('a');
    await Promise.all(clients.map((client) => client.until(1)));
    expect(world.http.watches.actedAs).toEqual(new Set(['', 'ann', 'bob']));
  });

  it('clients with two tokens share a watch if both may list the objects', async () => {
    const [admin, viewer] = await Promise.all(['admin', 'viewer'].map((name) => world.api.tokenFor(name)));
    const clients = [await world.openAs(admin, WATCH), await world.openAs(viewer, WATCH)];
    await world.create('a');
    await Promise.all(clients.map((client) => client.until(1)));
    expect(world.http.watches.most).toBe(1);
  });

  it.each(['first', 'second'])(
    'a watch ends when its token expires, if it came %s, and others continue',
    async (place) => {
      const now = world.clock.now();
      const brief = await issueToken(
        { signingKeys: keysSigningWith('k1'), clusterId: 'test' },
        { name: 'admin', groups: ['system:masters'], issuedAt: now, expiresAt: now + 30_000 },
      );
      const openBrief = () => world.openAs(brief, WATCH);
      const [one, other] = [
        await (place === 'first' ? openBrief() : world.open(WATCH)),
        await (place === 'first' ? world.open(WATCH) : openBrief()),
      ];
      const [ends, stays] = place === 'first' ? [one, other] : [other, one];
      await ends.ended;
      expect(ends.events).toEqual([]);
      expect((await openBrief()).response.status).toBe(401);
      await world.create('a');
      expect(told(await stays.until(1))).toEqual(['ADDED a']);
      expect(world.lines).toEqual([]);
    },
  );
});

describe('a watch whose token is no longer valid', () => {
  const NODE_WATCH = '/api/v1/nodes?watch=1&fieldSelector=metadata.name%3Dn1';
  const tokenOfNode = async (name: string): Promise<string> =>
    (await world.api.send('POST', tokenPath(name), { as: 'admin' })).json.status.token;

  it('ends within about ten seconds, also while the token of another is checked', async () => {
    await world.create('n1');
    // A token changes the Node, so all are issued before the watches open.
    const tokens = await many(3, () => tokenOfNode('n1'));
    const admin = await world.open(NODE_WATCH);
    const kubelets = await Promise.all(tokens.map((token) => world.openAs(token, NODE_WATCH)));
    await Promise.all([admin, ...kubelets].map((client) => client.until(1)));
    const before = world.clock.now();
    await world.api.send('DELETE', `${NODES}/n1`, { as: 'admin' });
    await Promise.all(kubelets.map(({ ended }) => ended));
    expect(world.clock.now() - before).toBeLessThan(60_000);
    expect(told(await admin.until(2))).toEqual(['ADDED n1', 'DELETED n1']);
    await world.create('n1');
    expect(told(await admin.until(3)).at(-1)).toBe('ADDED n1');
    expect(kubelets.flatMap(({ events }) => told(events))).not.toContain('ERROR');
  });
});

describe('an API that becomes unreachable', () => {
  it('is logged once, and its return once; clients miss no events', async () => {
    const client = await world.open(WATCH);
    await world.create('a');
    await client.until(1);
    await vi.waitUntil(() => world.upstreamWatches() === 1);
    await world.http.goAway();
    await world.create('b');
    await vi.waitUntil(() => world.lines.length === 1);
    await world.clock.sleep(20_000);
    await world.create('c');
    await world.http.comeBack();
    expect(told(await client.until(3))).toEqual(['ADDED a', 'ADDED b', 'ADDED c']);
    await vi.waitUntil(() => world.lines.length === 2);
    expect(world.lines[0]).toMatch(
      /^WARN the API at http:\/\/127.0.0.1:\d+ cannot be reached \(ECONNREFUSED\)/,
    );
    expect(world.lines[1]).toBe('the API answers again');
  });

  it('gives new clients an error at once', async () => {
    await world.http.goAway();
    const { response } = await world.open(WATCH);
    expect(response.status).toBe(503);
    expect(JSON.parse(String(response.body))).toMatchObject({ kind: 'Status', reason: 'ServiceUnavailable' });
  });
});

describe('what a watch through the gateway shows', () => {
  it('410 as an ERROR, for a version that is too old', async () => {
    await world.create('a');
    const client = await world.open(`${WATCH}&resourceVersion=1`);
    const [{ type, object }] = await client.until(1);
    expect([type, object.code, object.reason]).toEqual(['ERROR', 410, 'Expired']);
    await client.ended;
    await vi.waitUntil(() => world.upstreamWatches() === 0);
    expect(told(await (await world.open(WATCH)).until(1))).toEqual(['ADDED a']);
  });

  it('the initial state and its bookmark, although the API does not send them in one answer', async () => {
    await world.create('a');
    await world.create('b');
    const query = 'sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true';
    const events = await (await world.open(`${WATCH}&${query}`)).until(3);
    expect(events.map(({ type }) => type)).toEqual(['ADDED', 'ADDED', 'BOOKMARK']);
    expect(events[0].object).toMatchObject({ kind: 'Node', apiVersion: 'v1', metadata: { name: 'a' } });
    expect(events[2].object.metadata.annotations).toEqual({ 'k8s.io/initial-events-end': 'true' });
  });

  it('bookmarks, and the end at the timeout that the client asked for', async () => {
    const query = `resourceVersion=${await world.version()}&allowWatchBookmarks=1&timeoutSeconds=10`;
    const client = await world.open(`${WATCH}&${query}`);
    await world.create('a');
    await client.ended;
    expect(told(client.events)).toEqual(['ADDED a', 'BOOKMARK undefined']);
    expect(client.events[1].object.metadata.resourceVersion).toBe(await world.version());
  });

  it('rows of a Table, with columns in the first one only', async () => {
    await world.create('a');
    const client = await world.open(WATCH, TABLE);
    await client.until(1);
    await world.cordon('a', true);
    const [first, second] = await client.until(2);
    expect([first.object.kind, first.object.columnDefinitions[0].name]).toEqual(['Table', 'Name']);
    expect([second.type, second.object.columnDefinitions]).toEqual(['MODIFIED', null]);
    expect(second.object.rows[0].cells.slice(0, 2)).toEqual(['a', 'Unknown,SchedulingDisabled']);
  });

  it('a renewed Lease once, although the API repeats the event', async () => {
    await world.create('a');
    const client = await world.open(`${LEASES}?watch=1`);
    await vi.waitUntil(() => world.upstreamWatches() === 1);
    const body = { metadata: { name: 'a' }, spec: { holderIdentity: 'a', leaseDurationSeconds: 40 } };
    await world.api.send('POST', LEASES, { as: 'admin', body });
    await client.until(1);
    await world.clock.sleep(30_000);
    expect(told(client.events)).toEqual(['ADDED a']);
    // One answer a second at most, while each of them brings the same again.
    expect(world.http.watches.total).toBeLessThan(50);
  });

  it('the answer of the API for kinds that the gateway does not know', async () => {
    const { response } = await world.open('/apis/example.org/v1/things?watch=1');
    expect(response.status).toBe(404);
  });

  it('422 for options that exclude each other', async () => {
    const { response } = await world.open(`${WATCH}&sendInitialEvents=true`);
    expect([response.status, JSON.parse(String(response.body)).reason]).toEqual([422, 'Invalid']);
  });
});

describe('a gateway at its limits', () => {
  it.each([
    ['watches', WATCH, /has 1 watches open, which is the limit/],
    ['selections', `${WATCH}&labelSelector=x`, /follows 1 different selections/],
  ] as const)('has no room for more %s and says when to come back', async (limit, url, message) => {
    await renew({ [limit]: 1 });
    await world.create('a');
    const first = await world.open(WATCH);
    await first.until(1);
    await vi.waitUntil(() => world.upstreamWatches() === 1);
    const { response } = await world.open(url);
    expect([response.status, response.headers['retry-after']]).toEqual([429, '10']);
    expect(JSON.parse(String(response.body)).message).toMatch(message);
    first.leave();
    await first.ended;
    expect((await world.open(url)).response.status).toBe(200);
  });
});
