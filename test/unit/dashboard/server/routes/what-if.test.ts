import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import type { HistoryService } from '../../../../../dashboard/server/history/history-service.ts';
import { createWhatIf } from '../../../../../dashboard/server/history/what-if.ts';
import { historyRoute } from '../../../../../dashboard/server/routes/history.ts';
import type { RouteDeps } from '../../../../../dashboard/server/routes/route.ts';
import { whatIfRoute } from '../../../../../dashboard/server/routes/what-if.ts';
import { HistoryRecorder } from '../../../../../shared/rules/history/recorder.ts';
import type { SeenNode } from '../../../../../shared/rules/history/seen-node.ts';
import { NODE_LIFECYCLE_DEFAULTS } from '../../../../../shared/settings/node-lifecycle.ts';

const T = 1_767_657_600_000;
const PROGRAM = [process.execPath, fileURLToPath(new URL('../../../../../cli/rollcall.js', import.meta.url))];
const seen = (ready: SeenNode['ready']): SeenNode => ({
  zone: 'a',
  ready,
  noExecute: [],
  isCordoned: false,
  isDraining: false,
  isShuttingDown: false,
  isCounted: true,
});

const depsOf = (lost: boolean, program: readonly string[] = PROGRAM): RouteDeps => {
  const recorder = new HistoryRecorder();
  recorder.begin({ revision: 1, at: T, nodes: ['n1', 'n2', 'n3'].map((name) => [name, seen('True')]) });
  if (lost) recorder.change({ revision: 2, at: T + 300_000, name: 'n1', seen: seen('Unknown') });
  recorder.seenUntil(T + 600_000);
  const history: HistoryService = {
    asked: async () => recorder,
    isCaughtUp: () => true,
    problem: () => undefined,
    close: () => undefined,
  };
  const api = { get: async () => ({ status: 200, text: '{"metadata":{},"items":[]}' }) } as never;
  const whatIf = createWhatIf({ api, history, program });
  return { api, history, whatIf, nodeLifecycle: NODE_LIFECYCLE_DEFAULTS } as unknown as RouteDeps;
};

const ask = async (route: typeof whatIfRoute, path: string, query: string, deps: RouteDeps) => {
  const request = { method: 'GET', path, query: new URLSearchParams(query), headers: {}, body: undefined };
  const answer = await route({ ...request, signal: new AbortController().signal }, deps);
  return { status: answer?.status, body: answer?.body as Record<string, unknown> };
};

describe('the route of What if', () => {
  it('answers what happened beside both simulations, which run in another process', async () => {
    const { status, body } = await ask(
      whatIfRoute,
      '/what-if',
      'nodeMonitorGracePeriodMs=600000',
      depsOf(true),
    );
    expect(status).toBe(200);
    expect(body).toMatchObject({
      totals: [{ lost: 1 }, { lost: 1 }, { lost: 0 }],
      changed: { nodeMonitorGracePeriodMs: 600_000 },
      rows: [{ node: 'n1', zone: 'a' }],
      isAssumed: false,
    });
  });

  it.each([
    [
      'nodeMonitorGracePeriodMs=1',
      true,
      PROGRAM,
      'nodeMonitorGracePeriodMs: give a number from 500 to 3600000',
    ],
    ['nodeEvictionRate=', true, PROGRAM, 'nodeEvictionRate: give a number from 0 to 1000'],
    ['', false, PROGRAM, 'no node has been lost in the time that is recorded'],
    ['', true, ['/nothing/here'], 'the simulation failed'],
  ])('refuses %s (lost: %s) and says why', async (query, lost, program, message) => {
    const { status, body } = await ask(whatIfRoute, '/what-if', query, depsOf(lost, program));
    expect(status).toBe(409);
    expect(body['message']).toContain(message);
  });

  it('runs one simulation at a time', async () => {
    const deps = depsOf(true);
    const both = await Promise.all([1, 2].map(() => ask(whatIfRoute, '/what-if', '', deps)));
    expect(both.map(({ status }) => status)).toEqual([200, 409]);
  });
});

describe('the route of the history', () => {
  it('answers a page, and to one who has everything only how it stands', async () => {
    const deps = depsOf(true);
    const first = await ask(historyRoute, '/history', '', deps);
    expect(first.body).toMatchObject({
      isFirst: true,
      isWhole: true,
      isLive: true,
      nodes: ['n1', 'n2', 'n3'],
    });
    expect(first.body['changes']).toEqual([T + 300_000, 0, 1]);
    const has = `epoch=${String(first.body['epoch'])}&nodes=3&states=2&changes=1&evictions=0&zones=0`;
    const next = await ask(historyRoute, '/history', has, deps);
    expect(next.body).toMatchObject({ isFirst: false, nodes: [], changes: [], states: [] });
  });

  it('leaves other paths to other routes', () => {
    const request = {
      method: 'GET',
      path: '/live',
      query: new URLSearchParams(),
      headers: {},
      body: undefined,
    };
    const signal = new AbortController().signal;
    expect(historyRoute({ ...request, signal }, depsOf(false))).toBeUndefined();
  });
});
