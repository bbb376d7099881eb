import { setImmediate as turn } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { ApiEvent, DashboardApi } from '../../../../../dashboard/server/live/api.ts';
import type { detailStream } from '../../../../../dashboard/server/live/detail-stream.ts';
import { createLiveFleet } from '../../../../../dashboard/server/live/live-fleet.ts';
import { liveStream } from '../../../../../dashboard/server/live/live-stream.ts';
import { createSource } from '../../../../../dashboard/server/live/source.ts';
import { detailRoute } from '../../../../../dashboard/server/routes/detail.ts';
import type { DetailMessage } from '../../../../../dashboard/wire/detail.ts';
import type { LiveChange } from '../../../../../dashboard/wire/live.ts';
import { drainText } from '../../../../../shared/rules/drain/drain-request.ts';

const NOW = Date.parse('2026-03-01T12:00:00Z');
const TAINT = {
  key: 'node.kubernetes.io/unreachable',
  effect: 'NoExecute',
  timeAdded: '2026-03-01T11:59:50Z',
};

const node = (name: string, more: object = {}) => ({
  kind: 'Node',
  apiVersion: 'v1',
  metadata: { name, resourceVersion: '1' },
  status: { conditions: [{ type: 'Ready', status: 'True' }] },
  ...more,
});

const web = {
  kind: 'Pod',
  apiVersion: 'v1',
  metadata: { name: 'web', namespace: 'shop', uid: 'u' },
  spec: { nodeName: 'n1', tolerations: [{ key: TAINT.key, operator: 'Exists', tolerationSeconds: 60 }] },
};

const lease = (name: string, at: number) => ({
  kind: 'Lease',
  apiVersion: 'coordination.k8s.io/v1',
  metadata: { name, resourceVersion: String(at) },
  spec: { holderIdentity: name, leaseDurationSeconds: 40 },
});

/** An API over lists in memory; `tell` sends an event to the watches of a path. */
const fakeApi = (lists: Readonly<Record<string, readonly object[]>>) => {
  const told = new Map<string, ((event: ApiEvent) => void)[]>();
  const asked: string[] = [];
  const api: DashboardApi = {
    get: async (path) => {
      asked.push(path);
      if (path.includes('/leases/')) {
        const found = lists['lease']?.[0];
        return { status: found ? 200 : 404, text: JSON.stringify(found ?? {}) };
      }
      return { status: 200, text: '{"metadata":{"resourceVersion":"7"},"items":[],"answers":[]}' };
    },
    async *list(path) {
      asked.push(path);
      yield { position: '1', items: (lists[path] ?? []) as never };
    },
    async *watch(path, _, signal) {
      asked.push(`watch ${path}`);
      const events: ApiEvent[] = [];
      let wake = (): void => undefined;
      const add = (event: ApiEvent): void => {
        events.push(event);
        wake();
      };
      told.set(path, [...(told.get(path) ?? []), add]);
      signal.addEventListener('abort', () => wake());
      while (!signal.aborted) {
        yield* events.splice(0);
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
    },
  };
  return {
    api,
    asked,
    tell: (path: string, type: ApiEvent['type'], object: object): void => {
      for (const one of told.get(path) ?? []) one({ type, object: object as never });
    },
  };
};

const NODES = '/api/v1/nodes';
const LEASES = '/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases';

const bodyOf = <T>(message: string): T => JSON.parse(message.slice(message.indexOf('data: ') + 6)) as T;

/** Reads messages until one has what is wanted. */
const until = async <T>(stream: AsyncGenerator<string>, has: (message: T) => boolean): Promise<T> => {
  for (;;) {
    const { value, done } = await stream.next();
    if (done) throw new Error('the stream has ended');
    const message = bodyOf<T>(value);
    if (has(message)) return message;
  }
};

const openFleet = (fake: ReturnType<typeof fakeApi>, hasBeats = true) => {
  const ended = new AbortController();
  const source = createSource({ probe: async () => undefined, now: () => NOW, elapsed: () => 0 });
  const fleet = createLiveFleet({ api: fake.api, source, now: () => NOW, hasBeats });
  fleet.join();
  const deps = { fleet, now: () => NOW, epoch: 'e', tickMs: 1 };
  const stream = liveStream(deps, { selects: () => true, after: '', signal: ended.signal });
  return {
    fleet,
    stream,
    close: (): void => {
      ended.abort();
      fleet.stop();
    },
  };
};

describe('the live stream', () => {
  it('tells of pods that leave, and reads no pods of nodes without a NoExecute taint', async () => {
    const fake = fakeApi({
      [NODES]: [node('n1', { spec: { taints: [TAINT] } }), node('n2')],
      '/api/v1/pods?fieldSelector=spec.nodeName%3Dn1': [web],
    });
    const { stream, close } = openFleet(fake);
    const { due } = await until<LiveChange>(stream, (change) => (change.due?.evictionCount ?? 0) > 0);
    expect(due?.evictions).toMatchObject([
      { node: 'n1', namespace: 'shop', name: 'web', fireAt: NOW + 50_000, startAt: NOW - 10_000 },
    ]);
    expect(fake.asked.filter((path) => path.includes('pods'))).toContain('watch /api/v1/pods');
    expect(fake.asked.join()).not.toContain('n2');
    fake.tell(NODES, 'MODIFIED', node('n1'));
    await until<LiveChange>(stream, ({ due: after }) => after?.evictionCount === 0);
    close();
  });

  it('no longer complains of pods that it cannot follow when no node has such a taint any more', async () => {
    const fake = fakeApi({ [NODES]: [node('n1', { spec: { taints: [TAINT] } })] });
    const { get } = fake.api;
    const refusal = '{"kind":"Status","code":403,"message":"pods are forbidden","reason":"Forbidden"}';
    const api: DashboardApi = {
      ...fake.api,
      get: async (path) => (path.startsWith('/api/v1/pods') ? { status: 403, text: refusal } : get(path)),
    };
    const { stream, close } = openFleet({ ...fake, api });
    const { source } = await until<LiveChange>(stream, (change) => change.source.is === 'refused');
    expect(source).toEqual({ is: 'refused', asOf: NOW, reason: 'pods are forbidden' });
    fake.tell(NODES, 'MODIFIED', node('n1'));
    await until<LiveChange>(stream, (change) => change.isWhole && change.source.is === 'live');
    close();
  });

  it('tells of pods that have no successor, until their node answers', async () => {
    const owner = { apiVersion: 'apps/v1', kind: 'StatefulSet', name: 'db', uid: 's', controller: true };
    const metadata = { ...web.metadata, deletionTimestamp: '2026-03-01T11:59:59Z', ownerReferences: [owner] };
    const down = {
      status: { conditions: [{ type: 'Ready', status: 'Unknown' }] },
      spec: { taints: [TAINT] },
    };
    const fake = fakeApi({
      [NODES]: [node('n1', down)],
      '/api/v1/pods?fieldSelector=spec.nodeName%3Dn1': [{ ...web, metadata }],
    });
    const { stream, close } = openFleet(fake);
    const { due } = await until<LiveChange>(stream, (change) => change.due?.heldCount === 1);
    expect([due?.held, due?.evictionCount]).toEqual([[{ node: 'n1', pod: 'web' }], 0]);
    fake.tell(NODES, 'MODIFIED', node('n1'));
    await until<LiveChange>(stream, (change) => change.due?.heldCount === 0);
    close();
  });

  it('asks for no pods while no node has such a taint', async () => {
    const fake = fakeApi({ [NODES]: [node('n1')] });
    const { stream, close } = openFleet(fake);
    await until<LiveChange>(stream, ({ isWhole }) => isWhole);
    await turn();
    expect(fake.asked.filter((path) => path.includes('pods'))).toEqual([]);
    close();
  });

  it('tells of drains, and of their end', async () => {
    const request = { id: '1', requestedAt: NOW, by: 'admin', reason: '', deadlineAt: NOW + 60_000 };
    const annotations = { 'rollcall.dev/drain': drainText(request) };
    const draining = { metadata: { name: 'n1', annotations }, spec: { unschedulable: true } };
    const fake = fakeApi({ [NODES]: [node('n1', draining)] });
    const { stream, close } = openFleet(fake);
    const { due } = await until<LiveChange>(stream, (change) => change.due !== undefined);
    expect(due?.drains).toEqual([
      {
        node: 'n1',
        zone: expect.any(String),
        drain: { state: 'asked', message: '', deadlineAt: NOW + 60_000 },
      },
    ]);
    fake.tell(NODES, 'DELETED', node('n1'));
    await until<LiveChange>(stream, ({ due: after }) => after?.drainCount === 0);
    close();
  });
});

describe('the fleet while the watch of Leases hangs', () => {
  const timers = [
    'Date',
    'performance',
    'setTimeout',
    'clearTimeout',
    'setInterval',
    'clearInterval',
  ] as const;
  beforeEach(() => {
    vi.useFakeTimers({ toFake: [...timers] });
    vi.setSystemTime(NOW);
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  it('reads Leases again before it says that all nodes are late', async () => {
    const lists = { [NODES]: [node('n1'), node('n2')], [LEASES]: [lease('n1', NOW), lease('n2', NOW)] };
    const fake = fakeApi(lists);
    const source = createSource({
      probe: async () => undefined,
      now: Date.now,
      elapsed: () => performance.now(),
    });
    const next = { verdict: 'Unknown', time: new Date(NOW + 51_000).toISOString(), withinSeconds: 5 };
    const explanation = JSON.stringify({ answers: [{ question: 'health', next }] });
    const get: DashboardApi['get'] = async (path) =>
      path.endsWith('/explain') ? { status: 200, text: explanation } : fake.api.get(path);
    const fleet = createLiveFleet({ api: { ...fake.api, get }, source, now: Date.now, hasBeats: true });
    fleet.join();
    const late = (): readonly string[] =>
      [...fleet.state.entries().values()].flatMap(({ cell }) => (cell.silentSince > 0 ? [cell.name] : []));
    await vi.advanceTimersByTimeAsync(14_000);
    lists[LEASES] = [lease('n1', NOW), lease('n2', NOW + 10_000)];
    const seen: string[] = [];
    for (let passed = 0; passed < 6; passed += 1) {
      await vi.advanceTimersByTimeAsync(500);
      seen.push(late().join());
    }
    expect(seen.at(-1)).toBe('n1');
    expect(seen.filter((names) => names.includes('n2'))).toEqual([]);
    expect(fake.asked.filter((path) => path === LEASES)).toHaveLength(2);
    expect(fake.asked.filter((path) => path === NODES)).toHaveLength(1);
    // When it becomes Unknown, the API says.
    expect(fleet.due().unknowns).toEqual([{ node: 'n1', beatAt: NOW, at: NOW + 55_000 }]);
    fleet.stop();
  });
});

describe('the stream of a node', () => {
  const detailOf = async (fake: ReturnType<typeof fakeApi>, hasBeats: boolean) => {
    const { fleet, close } = openFleet(fake, hasBeats);
    const ended = new AbortController();
    const request = { method: 'GET', path: '/node', query: new URLSearchParams({ name: 'n1' }), headers: {} };
    const deps = {
      api: fake.api,
      fleet,
      now: () => NOW,
      epoch: 'e',
      history: {} as never,
      whatIf: {} as never,
    };
    const answer = await detailRoute({ ...request, body: undefined, signal: ended.signal }, deps);
    const stream = answer?.events as ReturnType<typeof detailStream>;
    return {
      lease: async () => (await until<DetailMessage>(stream, (message) => 'lease' in message)).lease,
      close: (): void => {
        ended.abort();
        close();
      },
    };
  };

  it('has the Lease, and each renewal of it', async () => {
    const fake = fakeApi({ [NODES]: [node('n1')], [LEASES]: [lease('n1', NOW - 5_000)] });
    const { lease: next, close } = await detailOf(fake, true);
    expect(await next()).toEqual({ holder: 'n1', renewedAt: NOW - 5_000, durationMs: 40_000, isLive: true });
    fake.tell(LEASES, 'MODIFIED', { ...lease('n1', NOW), spec: { holderIdentity: 'other' } });
    expect(await next()).toEqual({ holder: 'other', renewedAt: NOW, durationMs: 40_000, isLive: true });
    fake.tell(LEASES, 'DELETED', lease('n1', NOW));
    expect(await next()).toBeNull();
    close();
  });

  it.each<[string, readonly object[], unknown]>([
    [
      'has it',
      [lease('n1', NOW - 5_000)],
      { holder: 'n1', renewedAt: NOW - 5_000, durationMs: 40_000, isLive: false },
    ],
    ['has none', [], null],
  ])('reads the Lease if Leases are not followed: the API %s', async (_, found, wanted) => {
    const fake = fakeApi({ [NODES]: [node('n1')], lease: found });
    const { lease: next, close } = await detailOf(fake, false);
    expect(await next()).toEqual(wanted);
    close();
  });
});
