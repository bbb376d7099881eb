import { describe, expect, it } from 'vitest';
import { LEASES, NODES, PODS } from '../../../support/servers/api.ts';
import { createMemoryWatchSlots } from '../../../support/stores/memory-watch-slots.ts';
import {
  createWatching,
  nodesOf,
  toldOf,
  versionOf,
  type Watching,
} from '../../../support/watches/watching.ts';

const five = `${NODES}?watch=1&timeoutSeconds=5`;

const withTwoNodes = async (): Promise<Watching & { readonly nodes: ReturnType<typeof nodesOf> }> => {
  const api = createWatching();
  const nodes = nodesOf(api);
  await nodes.create('a', { tier: 'web' });
  await nodes.create('b');
  return { ...api, nodes };
};

const STATE_END = 'BOOKMARK';

describe('the start of a watch', () => {
  it.each([
    ['without a version: with the state', '', ['ADDED a', 'ADDED b', 'MODIFIED b']],
    ['from 0: with the state', '&resourceVersion=0', ['ADDED a', 'ADDED b', 'MODIFIED b']],
    [
      'without a version, bookmarks allowed: with the state and its end',
      '&allowWatchBookmarks=true',
      ['ADDED a', 'ADDED b', STATE_END, 'MODIFIED b', 'BOOKMARK'],
    ],
    [
      'from now on, if it wants no state',
      '&sendInitialEvents=false&resourceVersionMatch=NotOlderThan',
      ['MODIFIED b'],
    ],
    [
      'with the state, if it wants it',
      '&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=1',
      ['ADDED a', 'ADDED b', STATE_END, 'MODIFIED b', 'BOOKMARK'],
    ],
    [
      'with the state and no end of it, where bookmarks are not allowed',
      '&sendInitialEvents=true&resourceVersionMatch=NotOlderThan',
      ['ADDED a', 'ADDED b', 'MODIFIED b'],
    ],
    [
      'with the state for any value but false and 0',
      '&sendInitialEvents=maybe&resourceVersionMatch=NotOlderThan',
      ['ADDED a', 'ADDED b', 'MODIFIED b'],
    ],
  ])('%s', async (_, query, told) => {
    const { watch, nodes } = await withTwoNodes();
    expect(toldOf(await watch(`${five}${query}`, () => nodes.label('b', { x: 'y' })))).toEqual(told);
  });

  it.each([
    ['of the state', '', ['ADDED a', 'ADDED b', 'MODIFIED b']],
    ['without the state', '&sendInitialEvents=false&resourceVersionMatch=NotOlderThan', ['MODIFIED b']],
  ])(
    'is the moment at which the answer begins, however late its lines are read: %s',
    async (_, query, told) => {
      const { open, watchOpened, nodes } = await withTwoNodes();
      const opened = await open(`${five}${query}`, { as: 'admin' });
      await nodes.label('b', { x: 'y' });
      const seen = await watchOpened(opened);
      expect(toldOf(seen)).toEqual(told);
      expect(seen.events.map(({ object }) => object.metadata.labels?.x)).toEqual(
        told.map((event) => (event === 'MODIFIED b' ? 'y' : undefined)),
      );
    },
  );

  it('is after a version, with every later change, also from long before the watch', async () => {
    const api = await withTwoNodes();
    const from = await versionOf(api);
    await api.nodes.label('a', { x: '1' });
    await api.nodes.remove('b');
    const seen = await api.watch(`${five}&resourceVersion=${from}`, () => api.nodes.create('c'));
    expect(toldOf(seen)).toEqual(['MODIFIED a', 'DELETED b', 'ADDED c']);
    expect(seen.events.map(({ object }) => Number(object.metadata.resourceVersion))).toEqual(
      [1, 2, 3].map((n) => Number(from) + n),
    );
  });

  it('is the state at a version or later, if a client names one with the state', async () => {
    const api = await withTwoNodes();
    const from = await versionOf(api);
    const url = `${five}&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&resourceVersion=${from}`;
    expect(toldOf(await api.watch(url))).toEqual(['ADDED a', 'ADDED b']);
  });

  it('marks the end of the state by an empty object with the version of the state', async () => {
    const api = await withTwoNodes();
    const { events } = await api.watch(`${five}&allowWatchBookmarks=true`);
    expect(events[2]).toMatchObject({
      type: 'BOOKMARK',
      object: {
        kind: 'Node',
        apiVersion: 'v1',
        metadata: {
          resourceVersion: await versionOf(api),
          annotations: { 'k8s.io/initial-events-end': 'true' },
        },
        spec: {},
        status: { nodeInfo: { machineID: '' } },
      },
    });
  });
});

describe('a version that cannot be followed', () => {
  it.each([
    ['before all history', () => '1', /^too old resource version: 1 \(\d+\)$/],
    ['of the future', (now: string) => String(Number(now) + 7), /is newer than the newest/],
  ])('%s ends the stream with one ERROR event', async (_, from, message) => {
    const api = await withTwoNodes();
    const { events, lasted } = await api.watch(`${five}&resourceVersion=${from(await versionOf(api))}`);
    expect(events).toEqual([
      {
        type: 'ERROR',
        object: {
          kind: 'Status',
          apiVersion: 'v1',
          metadata: {},
          status: 'Failure',
          message: expect.stringMatching(message),
          reason: 'Expired',
          code: 410,
        },
      },
    ]);
    expect(lasted).toBe(0);
  });
});

describe('a selector', () => {
  it.each([
    ['labels', 'labelSelector=tier%3Dweb'],
    ['labels and a name', 'labelSelector=tier%3Dweb&fieldSelector=metadata.name%3Db'],
  ])(
    'by %s: an object that begins to match is ADDED, one that no longer matches is DELETED as it was',
    async (_, selector) => {
      const api = await withTwoNodes();
      const from = await versionOf(api);
      const { events } = await api.watch(`${five}&${selector}&resourceVersion=${from}`, async () => {
        await api.nodes.label('b', { tier: 'web' });
        await api.nodes.label('b', { n: '1' });
        await api.nodes.label('b', { tier: 'db', n: '2' });
        await api.nodes.label('b', { n: '3' });
      });
      expect(
        events.map(({ type, object }) => [type, object.metadata.labels, object.metadata.resourceVersion]),
      ).toEqual([
        ['ADDED', { tier: 'web' }, String(Number(from) + 1)],
        ['MODIFIED', { tier: 'web', n: '1' }, String(Number(from) + 2)],
        ['DELETED', { tier: 'web', n: '1' }, String(Number(from) + 3)],
      ]);
    },
  );

  it('by fields', async () => {
    const api = await withTwoNodes();
    const url = `${five}&fieldSelector=spec.unschedulable%3Dtrue&resourceVersion=${await versionOf(api)}`;
    const { events } = await api.watch(url, async () => {
      await api.nodes.cordon('a', true);
      await api.nodes.cordon('a', null);
    });
    expect(events.map(({ type, object }) => [type, object.spec.unschedulable])).toEqual([
      ['ADDED', true],
      ['DELETED', true],
    ]);
  });

  it('by namespace', async () => {
    const { watch, send } = createWatching();
    const body = (name: string) => ({
      metadata: { name },
      spec: { containers: [{ name: 'c', image: 'i' }] },
    });
    const create = async () => {
      await send('POST', '/api/v1/namespaces/kube-system/pods', { as: 'admin', body: body('x') });
      await send('POST', PODS, { as: 'admin', body: body('p') });
    };
    expect(toldOf(await watch(`${PODS}?watch=1&timeoutSeconds=5`, create))).toEqual(['ADDED p']);
    expect(toldOf(await watch('/api/v1/pods?watch=1&timeoutSeconds=5'))).toEqual(['ADDED p', 'ADDED x']);
  });

  it('by the name at the end of an old-style path', async () => {
    const { watch } = await withTwoNodes();
    expect(toldOf(await watch('/api/v1/watch/nodes/b?timeoutSeconds=5'))).toEqual(['ADDED b']);
  });
});

describe('the length of a watch', () => {
  it.each([
    ['as long as it asks', '&timeoutSeconds=7', 7_000],
    ['between 30 and 60 minutes, if it does not ask', '', 45 * 60_000],
    ['as if it had not asked, for 0', '&timeoutSeconds=0', 45 * 60_000],
    ['not at all, for less', '&timeoutSeconds=-1', 0],
  ])('%s', async (_, query, ms) => {
    const { watch } = createWatching();
    expect((await watch(`${NODES}?watch=1${query}`)).lasted).toBe(ms);
  });

  it.each([
    [undefined, 240_000],
    [600, 240_000],
    [100, 100_000],
  ])('with timeoutSeconds %s and short watches: %s ms', async (seconds, ms) => {
    const { watch } = createWatching({ isBuffered: false, longestMs: 240_000 / (seconds ? 1 : 0.9) });
    const query = seconds === undefined ? '' : `&timeoutSeconds=${seconds}`;
    expect((await watch(`${NODES}?watch=1${query}`)).lasted).toBeCloseTo(ms, -1);
  });

  it.each([
    ['no bookmark in a short one', 2, []],
    ['one bookmark, two seconds before the end', 30, [28_000]],
    ['one each minute and one before the end', 150, [60_000, 120_000, 148_000]],
  ])('%s', async (_, seconds, at) => {
    const api = await withTwoNodes();
    const from = await versionOf(api);
    const url = `${NODES}?watch=1&allowWatchBookmarks=true&timeoutSeconds=${seconds}&resourceVersion=${from}`;
    const { events } = await api.watch(url);
    expect(events).toEqual(
      at.map(() =>
        expect.objectContaining({
          type: 'BOOKMARK',
          object: expect.objectContaining({ metadata: { resourceVersion: from } }),
        }),
      ),
    );
  });

  it.each([
    ['three seconds', 3_000],
    ['an hour', 3_600_000],
    ['a year', 365 * 86_400_000],
  ])('is as requested, with bookmarks, even if the clock is set back by %s', async (_, backMs) => {
    const api = await withTwoNodes();
    const url = `${NODES}?watch=1&allowWatchBookmarks=true&timeoutSeconds=150&resourceVersion=${await versionOf(api)}`;
    const { events, lasted } = await api.watch(url, async () => api.setClock(-backMs));
    expect(events).toHaveLength(3);
    expect(lasted).toBeGreaterThanOrEqual(149_000);
    expect(lasted).toBeLessThan(165_000);
  });

  it('ends at once when the client disconnects, which frees everything', async () => {
    const api = await withTwoNodes();
    const gone = new AbortController();
    const { lasted } = await api.watch(
      `${NODES}?watch=1`,
      async () => {
        expect(api.watches.count()).toBe(1);
        gone.abort();
      },
      { as: 'admin', signal: gone.signal },
    );
    expect(lasted).toBe(500);
    expect(api.watches.count()).toBe(0);
  });
});

describe('with buffered responses', () => {
  const polling = { isBuffered: true, longestMs: 50_000 };

  it('a watch ends with its first events', async () => {
    const api = createWatching(polling);
    const from = await versionOf(api);
    const seen = await api.watch(`${NODES}?watch=1&resourceVersion=${from}`, () => nodesOf(api).create('a'));
    expect(toldOf(seen)).toEqual(['ADDED a']);
    expect(seen.lasted).toBeLessThan(1_100);
    expect(toldOf(await api.watch(`${NODES}?watch=1`))).toEqual(['ADDED a']);
  });

  it.each([
    ['no sooner than a second', '&timeoutSeconds=-1', 1_000],
    ['when its time is over', '&timeoutSeconds=9', 9_000],
    ['before the function is ended', '&timeoutSeconds=500', 50_000],
  ])('a watch without events ends %s', async (_, query, ms) => {
    expect((await createWatching(polling).watch(`${NODES}?watch=1${query}`)).lasted).toBe(ms);
  });

  it('a watch of Leases, whose first events may be repeats, lasts until there can be new ones', async () => {
    const api = createWatching(polling);
    const url = '/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases';
    const { json } = await api.send('POST', url, { as: 'admin', body: { metadata: { name: 'a' } } });
    const { resourceVersion } = json.metadata;
    const seen = await api.watch(`${url}?watch=1&resourceVersion=${resourceVersion}`);
    expect(toldOf(seen)).toContain('ADDED a');
    expect(seen.lasted).toBe(5_000);
  });

  it('a client that asks for the state by option is told to list', async () => {
    const url = `${NODES}?watch=1&sendInitialEvents=true&resourceVersionMatch=NotOlderThan`;
    const { code, json } = await createWatching(polling).send('GET', url);
    expect([code, json.message]).toEqual([
      422,
      'ListOptions.meta.k8s.io "" is invalid: sendInitialEvents: Forbidden: sendInitialEvents is forbidden for watch unless the WatchList feature gate is enabled',
    ]);
  });
});

describe('with a limit of watches per user', () => {
  it('a further watch is answered 429, until another has ended', async () => {
    const slots = createMemoryWatchSlots();
    const { watch, send } = createWatching({ isBuffered: false, perUser: { most: 1, slots } });
    const url = `${NODES}?watch=1&timeoutSeconds=60`;
    const gone = new AbortController();
    const during = async () => {
      const refused = await send('GET', url);
      expect([refused.code, refused.headers['retry-after']]).toEqual([429, '10']);
      gone.abort();
    };
    await watch(url, during, { as: 'admin', signal: gone.signal });
    expect((await watch(url)).lasted).toBe(60_000);
  });
});

describe('options that are refused', () => {
  const FORBIDDEN = 'ListOptions.meta.k8s.io "" is invalid: resourceVersionMatch: Forbidden:';
  it.each([
    [
      'resourceVersion=x',
      400,
      'resourceVersion: Invalid value: "x": strconv.ParseUint: parsing "x": invalid syntax',
    ],
    ['timeoutSeconds=x', 400, 'strconv.ParseInt: parsing "x": invalid syntax'],
    ['limit=x', 400, 'strconv.ParseInt: parsing "x": invalid syntax'],
    [
      'labelSelector=a+b',
      400,
      "unable to parse requirement: found 'b', expected: in, notin, =, ==, !=, gt, lt",
    ],
    ['fieldSelector=spec.foo%3D1', 400, 'field label not supported: spec.foo'],
    ['continue=abc', 422, `${FORBIDDEN} resourceVersionMatch is forbidden when continue is provided`],
    [
      'resourceVersionMatch=NotOlderThan&resourceVersion=5',
      422,
      `${FORBIDDEN} resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided`,
    ],
    [
      'sendInitialEvents=true',
      422,
      `${FORBIDDEN} sendInitialEvents requires setting resourceVersionMatch to NotOlderThan`,
    ],
    [
      'sendInitialEvents=true&resourceVersionMatch=Exact&resourceVersion=5',
      422,
      'ListOptions.meta.k8s.io "" is invalid: [resourceVersionMatch: Forbidden: sendInitialEvents requires setting resourceVersionMatch to NotOlderThan, resourceVersionMatch: Unsupported value: "Exact": supported values: "NotOlderThan"]',
    ],
  ])('%s', async (query, code, message) => {
    const answer = await createWatching().send('GET', `${NODES}?watch=true&${query}`);
    expect([answer.code, answer.json.message]).toEqual([code, message]);
  });

  it('sendInitialEvents without a watch', async () => {
    const { code, json } = await createWatching().send('GET', `${NODES}?sendInitialEvents=true`);
    expect([code, json.message]).toEqual([
      422,
      'ListOptions.meta.k8s.io "" is invalid: sendInitialEvents: Forbidden: sendInitialEvents is forbidden for list',
    ]);
  });

  it('a node that watches other nodes is refused first', async () => {
    const sent = { as: 'system:node:n1' };
    expect((await createWatching().send('GET', `${NODES}?watch=1`, sent)).code).toBe(403);
  });
});

describe('a watch of Leases', () => {
  const lease = (name: string, holderIdentity = name) => ({ metadata: { name }, spec: { holderIdentity } });
  const url = `${LEASES}?watch=1&timeoutSeconds=12`;

  it.each([
    ['back by 90 s', -90_000],
    ['back by a year', -365 * 86_400_000],
    ['forward by an hour', 3_600_000],
  ])('continues when the clock is set %s, and so does the next one', async (_, byMs) => {
    const { watch, send, setClock } = createWatching();
    await send('POST', LEASES, { as: 'admin', body: lease('a') });
    const seen = await watch(`${LEASES}?watch=1&timeoutSeconds=30`, async () => {
      setClock(byMs);
      await send('POST', LEASES, { as: 'admin', body: lease('b') });
    });
    expect(toldOf(seen)).toEqual(['ADDED a', 'ADDED b']);
    expect(toldOf(await watch(url, () => send('DELETE', `${LEASES}/b`)))).toEqual([
      'ADDED a',
      'ADDED b',
      'DELETED b',
    ]);
  });

  it('shows the differences between scans, deletions too', async () => {
    const { watch, send } = createWatching();
    await send('POST', LEASES, { as: 'admin', body: lease('a') });
    const seen = await watch(url, async () => {
      const { json } = await send('GET', `${LEASES}/a`);
      const renewed = await send('PUT', `${LEASES}/a`, { as: 'admin', body: json });
      await send('PUT', `${LEASES}/a`, {
        as: 'admin',
        body: { ...renewed.json, spec: { holderIdentity: 'x' } },
      });
      await send('POST', LEASES, { as: 'admin', body: lease('b') });
    });
    // In the order of their versions: two renewals within a millisecond made that of `a` the higher one.
    expect(toldOf(seen)).toEqual(['ADDED a', 'ADDED b', 'MODIFIED a']);
    expect(seen.events[2].object.spec.holderIdentity).toBe('x');
    expect(toldOf(await watch(url, () => send('DELETE', `${LEASES}/b`)))).toEqual([
      'ADDED a',
      'ADDED b',
      'DELETED b',
    ]);
  });

  it('continues from the version of a list with all later changes, deletions too', async () => {
    const api = createWatching();
    await api.send('POST', LEASES, { as: 'admin', body: lease('a') });
    await api.send('POST', LEASES, { as: 'admin', body: lease('b') });
    await api.clock.run(api.clock.sleep(60_000));
    const from = await versionOf(api, LEASES);
    await api.send('DELETE', `${LEASES}/b`);
    expect(toldOf(await api.watch(`${url}&resourceVersion=${from}`))).toEqual(['DELETED b']);
  });

  it.each([
    ['older than an hour', -3_700_000, /^too old resource version/],
    ['of the future', 3_600_000, /is newer than the newest/],
  ])('from a version %s ends with 410', async (_, ms, message) => {
    const { watch, clock } = createWatching();
    const { events } = await watch(`${url}&resourceVersion=${clock.now() + ms}`);
    expect(events).toMatchObject([
      { type: 'ERROR', object: { code: 410, message: expect.stringMatching(message) } },
    ]);
  });
});

describe('a watch of zones', () => {
  it('shows the zone records that passes write', async () => {
    const { watch, control, clock } = createWatching();
    const zone = {
      id: 'z1',
      key: 'r1:\0:z1',
      state: 'Normal',
      size: 1,
      notReady: 0,
      limiter: { rate: 0.1, nextAt: 0 },
      waiting: [],
      waitingCount: 0,
    } as const;
    const write = (pass: number, read?: typeof zone.limiter) =>
      control.writeZone({ ...zone, pass, updatedAt: clock.now() }, read);
    const seen = await watch('/apis/rollcall.dev/v1/zones?watch=1&timeoutSeconds=6', async () => {
      await write(1);
      await clock.sleep(2_000);
      await write(2, zone.limiter);
      await clock.sleep(2_000);
      await control.dropZone('z1', 3);
    });
    expect(toldOf(seen)).toEqual(['ADDED z1', 'MODIFIED z1', 'DELETED z1']);
  });
});
