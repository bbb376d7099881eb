import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { HistoryApi, WatchEvent } from '../../../../../dashboard/server/history/history-api.ts';
import {
  createHistoryService,
  type HistoryService,
} from '../../../../../dashboard/server/history/history-service.ts';
import { errorOf } from '../../../../../gateway/upstream/upstream-answer.ts';
import type { Status } from '../../../../../shared/kube/errors/status-error.ts';
import { momentsBetween } from '../../../../../shared/rules/history/happened.ts';
import { fleetAt } from '../../../../../shared/rules/history/record.ts';
import type { HistoryRecorder } from '../../../../../shared/rules/history/recorder.ts';
import { createFastClock } from '../../../../support/clocks/fast-clock.ts';
import { createGatewayWorld, type GatewayWorld } from '../../../../support/servers/gateway-world.ts';

let world: GatewayWorld;
let service: HistoryService;
const errors: unknown[] = [];
/** When the API was heard last, ms. */
let heardAt = Number.POSITIVE_INFINITY;

/** The API behind the gateway, as the dashboard asks it. */
const apiOf = ({ openAs, api }: GatewayWorld): HistoryApi => ({
  get: async (path) => {
    const { response } = await openAs(await api.tokenFor('admin'), path);
    return { status: response.status, text: String(response.body) };
  },
  async *watch(path, after, signal) {
    const client = await openAs(
      await api.tokenFor('admin'),
      `${path}?watch=true&allowWatchBookmarks=true&resourceVersion=${after}`,
    );
    const left = new Promise<'left'>((resolve) => signal.addEventListener('abort', () => resolve('left')));
    for (let count = 0; ; count += 1) {
      const next = await Promise.race([client.until(count + 1), left]).catch(() => 'left' as const);
      if (next === 'left') return client.leave();
      const event = next[count] as unknown as
        | WatchEvent
        | { readonly type: 'ERROR'; readonly object: Status };
      if (event.type === 'ERROR') throw errorOf(event.object);
      yield event;
    }
  },
});

beforeEach(async () => {
  errors.length = 0;
  heardAt = Number.POSITIVE_INFINITY;
  world = await createGatewayWorld();
  service = createHistoryService({
    api: apiOf(world),
    clock: world.clock,
    asOf: () => heardAt,
    onError: (error) => errors.push(error),
  });
});

afterEach(async () => {
  service.close();
  await world.stop();
});

const told = (recorder: HistoryRecorder): readonly string[] => {
  const record = recorder.record();
  return momentsBetween(record, record.since - 1, record.until).map(({ node, what }) => `${node} ${what}`);
};

describe('the history of the fleet behind an API', () => {
  it('does not count a silence of the API as a time in which nothing has happened', async () => {
    await world.create('a');
    const recorder = await service.asked();
    await vi.waitUntil(() => service.isCaughtUp(), 8_000);
    heardAt = world.clock.now() + 1_000;
    await world.clock.sleep(10_000);
    await vi.waitUntil(() => recorder.record().until >= heardAt, 8_000);
    expect(recorder.record().until).toBe(heardAt);
    heardAt = Number.POSITIVE_INFINITY;
    await vi.waitUntil(() => recorder.record().until > world.clock.now() - 2_000, 8_000);
  });

  it('has what was before the dashboard began, and what comes', async () => {
    await world.create('a');
    await world.create('b');
    await world.cordon('a', true);
    const recorder = await service.asked();
    await vi.waitUntil(() => service.isCaughtUp(), 8_000);
    expect(errors).toEqual([]);
    await world.cordon('a', null);
    await vi.waitUntil(() => told(recorder).includes('a uncordoned'), 8_000);
    expect(told(recorder)).toEqual(['a joined', 'b joined', 'a cordoned', 'a uncordoned']);
  });
});

const node = (name: string, resourceVersion: number, unschedulable = false) => ({
  apiVersion: 'v1',
  kind: 'Node',
  spec: { unschedulable },
  metadata: { name, resourceVersion: String(resourceVersion), creationTimestamp: '2026-01-02T09:00:00Z' },
});

const answer = (resourceVersion: number, items: readonly object[]) => ({
  status: 200,
  text: JSON.stringify({ metadata: { resourceVersion: String(resourceVersion) }, items }),
});
const expired = (floor: number) => errorOf({ code: 410, message: `too old resource version: 1 (${floor})` });

/** An API whose nodes are as the test says, and whose watches end when it says so. */
const scripted = () => {
  const watches: string[] = [];
  const paths: string[] = [];
  let nodes: readonly ReturnType<typeof node>[] = [node('a', 5)];
  let newest = 9;
  let next: (() => Promise<readonly ReturnType<typeof node>[]>)[] = [];
  const api: HistoryApi = {
    get: async (path) => {
      paths.push(path);
      return path.startsWith('/api/v1/nodes') ? answer(newest, nodes) : answer(1, []);
    },
    async *watch(path, after, signal) {
      if (after === '1' && !path.endsWith('zones')) throw expired(3);
      if (path !== '/api/v1/nodes') {
        await once(signal);
        return;
      }
      watches.push(after);
      const events = await (next.shift() ?? (() => once(signal).then(() => [])))();
      for (const object of events) yield { type: 'MODIFIED', object };
    },
  };
  const once = (signal: AbortSignal): Promise<void> =>
    new Promise((resolve) => signal.addEventListener('abort', () => resolve()));
  return {
    api,
    watches,
    paths,
    set: (to: { nodes?: typeof nodes; newest?: number; next?: typeof next }) => {
      nodes = to.nodes ?? nodes;
      newest = to.newest ?? newest;
      next = to.next ?? next;
    },
  };
};

describe('the reading of the log', () => {
  const began = async (script: ReturnType<typeof scripted>) => {
    const clock = createFastClock(1_000);
    service = createHistoryService({
      api: script.api,
      clock,
      asOf: clock.now,
      onError: (error) => errors.push(error),
    });
    return { clock, recorder: await service.asked() };
  };

  it('J-250 begins with the list that is exact at the floor of the log', async () => {
    const script = scripted();
    await began(script);
    expect(script.paths).toContain('/api/v1/nodes?limit=500&resourceVersion=3&resourceVersionMatch=Exact');
    expect(script.watches).toEqual(['9']);
  });

  it('goes on where it was after a failure, without a gap', async () => {
    const script = scripted();
    script.set({
      next: [
        async () => [node('a', 10, true)],
        async () => {
          throw new Error('the connection broke');
        },
        async () => [node('a', 10, true), node('a', 11)],
      ],
    });
    const { recorder } = await began(script);
    await vi.waitUntil(() => recorder.revision === 11);
    expect(script.watches.slice(0, 3)).toEqual(['9', '10', '10']);
    expect(recorder.record()).toMatchObject({ gaps: [], changes: [{ state: 1 }, { state: 0 }] });
    expect(service.problem()).toBeUndefined();
  });

  it('J-253 has a gap where the log has been cut off', async () => {
    const script = scripted();
    script.set({
      next: [
        async () => {
          script.set({ nodes: [node('a', 40), node('b', 41)], newest: 50 });
          throw expired(45);
        },
      ],
    });
    const { recorder } = await began(script);
    await vi.waitUntil(() => recorder.revision === 50);
    const record = recorder.record();
    expect(record.gaps).toHaveLength(1);
    expect([...(fleetAt(record, record.until)?.keys() ?? [])]).toEqual(['a', 'b']);
  });

  it('asks for nothing while nobody looks, and goes on when somebody does', async () => {
    const script = scripted();
    const { clock, recorder } = await began(script);
    await clock.sleep(6 * 60_000);
    await vi.waitUntil(() => !service.isCaughtUp());
    const asked = script.paths.length;
    await clock.sleep(60_000);
    expect(script.paths).toHaveLength(asked);
    await service.asked();
    expect(script.watches.at(-1)).toBe(String(recorder.revision));
    expect(recorder.record().gaps).toEqual([]);
  });
});
