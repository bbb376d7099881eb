import { describe, expect, it } from 'vitest';
import type { ZonePassWrite } from '../../../../shared/ports/store/control-store.ts';
import { nodeKey } from '../../../../shared/ports/store/rows.ts';
import {
  createTestApi,
  type Json,
  NODES,
  PODS,
  podBody,
  type Received,
  readyNode,
  START,
  statusOf,
  type TestApi,
} from '../../../support/servers/api.ts';

const ZONES = '/apis/rollcall.dev/v1/zones';
const ZONE: ZonePassWrite = {
  id: 'a',
  key: ':\0:a',
  state: 'Normal',
  size: 4,
  notReady: 1,
  waiting: ['n1'],
  waitingCount: 1,
  limiter: { rate: 0.1, nextAt: START + 4_000 },
  pass: 1,
  updatedAt: START,
};

/** An API with a silent node n1 in zone a, a node n2, a pod on n1, and a pod of n2 in another namespace. */
const createWorld = async (options: Parameters<typeof createTestApi>[0] = {}): Promise<TestApi> => {
  const api = createTestApi(options);
  const labels = { 'topology.kubernetes.io/zone': 'a' };
  const silent = { type: 'Ready', status: 'Unknown', reason: 'NodeStatusUnknown', message: 'Silent.' };
  const node = { metadata: { name: 'n1', labels }, status: { conditions: [silent] } };
  await api.send('POST', NODES, { as: 'admin', body: node });
  await api.send('POST', NODES, { as: 'admin', body: readyNode('n2', '2026-03-01T12:00:00Z') });
  await api.send('POST', PODS, { as: 'admin', body: podBody('p1', { nodeName: 'n1' }) });
  await api.control.startPass(START, START, 1_000);
  await api.control.writeZone(ZONE, undefined);
  return api;
};

const answersOf = ({ json }: Received): Json =>
  Object.fromEntries(json.answers.map((answer: Json) => [answer.question, answer]));

describe('GET nodes/explain', () => {
  it('is an Explanation: verdicts, facts with their sources, what happens next and when', async () => {
    const api = await createWorld();
    const received = await api.send('GET', `${NODES}/n1/explain`);
    expect([received.code, received.json]).toMatchObject([
      200,
      {
        kind: 'Explanation',
        apiVersion: 'rollcall.dev/v1',
        metadata: { name: 'n1' },
        subject: { kind: 'Node', name: 'n1' },
        time: '2026-03-01T12:00:00Z',
      },
    ]);
    const { health, taint, placing } = answersOf(received);
    expect([health.verdict, taint.verdict, placing.verdict]).toEqual([
      'Unknown',
      'WaitsForTaint',
      'TakesNoPods',
    ]);
    expect(taint.next).toEqual({
      verdict: 'Tainted',
      message: 'tainted',
      time: '2026-03-01T12:00:04Z',
      withinSeconds: 5,
    });
    expect(taint.because[1]).toEqual({
      fact: 'PlaceInZone',
      message: 'number 1 of 1 that wait in the zone',
      values: { place: 1, waiting: 1 },
      source: 'zone a waiting',
      rule: 'A-11',
    });
  });

  it('reads twenty of the nodes before it, and counts the others', async () => {
    const api = await createWorld();
    const names = Array.from({ length: 40 }, (_, index) => `x${index}`);
    const zone = { ...ZONE, waiting: [...names, 'n1'], waitingCount: 41, pass: 2 };
    await api.control.writeZone(zone, ZONE.limiter);
    let reads = 0;
    const { read } = api.objects;
    Object.assign(api.objects, {
      read: (key: ReturnType<typeof nodeKey>) => {
        if (key.resource === 'nodes') reads += 1;
        return read(key);
      },
    });
    const { taint } = answersOf(await api.send('GET', `${NODES}/n1/explain`));
    // The twenty that were read are gone.
    expect([taint.because[1].values.place, reads]).toEqual([21, 21]);
  });

  it.each([
    ['GET', `${NODES}/nobody/explain`, 404],
    ['GET', `${NODES}/${'%00'}/explain`, 404],
    ['GET', `${PODS}/nobody/explain`, 404],
    ['GET', `${ZONES}/nowhere/explain`, 404],
    ['POST', `${NODES}/n1/explain`, 405],
    ['DELETE', `${NODES}/n1/explain`, 405],
    ['GET', '/api/v1/pods/p1/explain', 404],
  ])('refuses %s %s with %i', async (method, path, code) => {
    const api = await createWorld();
    expect((await api.send(method, path)).code).toBe(code);
  });

  it('tells nobody of the next event where no controllers run', async () => {
    const api = await createWorld({ controllers: 'none' });
    const { taint } = answersOf(await api.send('GET', `${NODES}/n1/explain`));
    expect([taint.next, taint.because[0].fact]).toEqual([undefined, 'NoControllers']);
  });

  it('decides by the settings of the controllers', async () => {
    const { nodeLifecycle } = (await createWorld()).config;
    const own = { ...nodeLifecycle, nodeMonitorGracePeriodMs: 7_000 };
    const api = await createWorld({ config: { nodeLifecycle: own } });
    await api.heartbeats.beat({ node: 'n2', source: 'status', at: START, expiresAt: START + 60_000 });
    const { health } = answersOf(await api.send('GET', `${NODES}/n2/explain`));
    expect(health.next).toMatchObject({ verdict: 'Unknown', time: '2026-03-01T12:00:07Z' });
  });
});

describe('GET pods/explain', () => {
  it('says when the pod leaves its node', async () => {
    const api = await createWorld();
    const { scheduling, eviction, deletion, budget } = answersOf(await api.send('GET', `${PODS}/p1/explain`));
    expect([scheduling.verdict, eviction.verdict, deletion.verdict, budget.verdict]).toEqual([
      'Bound',
      'WaitsForTaint',
      'NotDeleted',
      'NoBudget',
    ]);
    // The next token, and the default toleration of 300 s.
    expect(eviction.next).toMatchObject({ verdict: 'Evicted', time: '2026-03-01T12:05:04Z' });
  });

  it('tells of the quarantine of a node that is gone', async () => {
    const api = await createWorld();
    const row = await api.objects.read(nodeKey('n1'));
    await api.send('DELETE', `${NODES}/n1`);
    const key = { topic: 'absent-node', name: 'n1' } as const;
    const seen = { ...key, uid: row?.uid ?? '', since: START - 10_000 };
    await api.control.replaceSighting(key, undefined, seen);
    const { deletion, eviction } = answersOf(await api.send('GET', `${PODS}/p1/explain`));
    expect([deletion.verdict, deletion.next.time, eviction]).toEqual([
      'Orphaned',
      '2026-03-01T12:00:30Z',
      undefined,
    ]);
  });

  it('names the budget that does not let it go', async () => {
    const api = await createWorld();
    const path = '/apis/policy/v1/namespaces/default/poddisruptionbudgets';
    const spec = { minAvailable: 1, selector: {} };
    await api.send('POST', path, { as: 'admin', body: { metadata: { name: 'web' }, spec } });
    const body = { status: { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }] } };
    await api.send('PATCH', `${PODS}/p1/status`, {
      as: 'admin',
      body,
      type: 'application/merge-patch+json',
    });
    const { budget } = answersOf(await api.send('GET', `${PODS}/p1/explain`));
    expect([budget.verdict, budget.because[0].values.budget]).toEqual(['BudgetBlocks', 'web']);
  });
});

describe('GET zones/explain', () => {
  it('says which state it has, and who is next', async () => {
    const api = await createWorld();
    const { zone } = answersOf(await api.send('GET', `${ZONES}/a/explain`));
    expect(zone).toMatchObject({
      verdict: 'Normal',
      next: { verdict: 'NodeTainted', time: '2026-03-01T12:00:04Z' },
    });
    expect(zone.because.map(({ message }: Json) => message)).toContain('waiting for their taint: 1 (n1)');
  });
});

describe('what a Hold stops (V-102)', () => {
  const hold = { uid: 'u', name: 'incident', by: 'alice', reason: 'switch', stops: ['NoExecute'] as const };
  const held = async (zones?: readonly string[]): Promise<TestApi> => {
    const api = await createWorld();
    const active = [{ ...hold, from: START - 1_000, ...(zones ? { zones } : {}) }];
    await api.control.replaceHoldBook(0, { v: 1, epoch: 1, active, past: [] });
    return api;
  };
  const first = async (api: TestApi, path: string) => (await api.send('GET', path)).json.answers[0];

  it('is said first, of a node, its pods and its zone, and nothing that it stops is said to come', async () => {
    const api = await held(['a']);
    const said = {
      question: 'hold',
      verdict: 'HeldByHold',
      because: [{ message: 'Hold incident of alice: switch; it stops NoExecute', rule: 'V-102' }],
    };
    for (const path of [`${NODES}/n1/explain`, `${PODS}/p1/explain`, `${ZONES}/a/explain`])
      expect(await first(api, path)).toMatchObject(said);
    const { taint } = answersOf(await api.send('GET', `${NODES}/n1/explain`));
    expect(taint.next).toBeUndefined();
    expect(taint.wouldChange[0]).toEqual({ change: 'HoldEnds', message: 'the Hold is deleted, or ends' });
  });

  it('is not said of the nodes of other zones', async () => {
    const api = await held(['b']);
    expect((await first(api, `${NODES}/n1/explain`)).question).toBe('health');
  });

  it('is hidden from who may not read Holds', async () => {
    const api = await held();
    const nodeUid = (await api.objects.read(nodeKey('n1')))?.uid;
    const { json } = await api.send('GET', `${NODES}/n1/explain`, { as: 'system:node:n1', nodeUid });
    expect(json.answers[0]).toMatchObject({ question: 'hold', verdict: 'Hidden' });
    expect(JSON.stringify(json)).not.toContain('alice');
  });
});

describe('who may ask', () => {
  it.each(['admin', 'viewer'])('%s: about everything', async (as) => {
    const api = await createWorld();
    for (const path of [`${NODES}/n1/explain`, `${PODS}/p1/explain`, `${ZONES}/a/explain`])
      expect((await api.send('GET', path, { as })).code).toBe(200);
  });

  it('nobody without rights', async () => {
    const api = await createWorld();
    const received = await api.send('GET', `${PODS}/p1/explain`, { as: 'ann' });
    expect(statusOf(received)[0]).toBe(403);
    expect(statusOf(received)[2]).toContain('cannot get resource "pods/explain" in API group ""');
    expect((await api.send('GET', `${NODES}/n1/explain`, {})).code).toBe(403);
  });

  it('a node: about itself and its pods, without what it may not read', async () => {
    const api = await createWorld();
    const as = 'system:node:n1';
    const nodeUid = (await api.objects.read(nodeKey('n1')))?.uid;
    const ask = (path: string): Promise<Received> => api.send('GET', path, { as, nodeUid });
    const own = answersOf(await ask(`${NODES}/n1/explain`));
    expect(own.taint.because.map(({ fact }: Json) => fact)).toEqual(['Hidden']);
    const pod = answersOf(await ask(`${PODS}/p1/explain`));
    expect(pod.budget.verdict).toBe('Hidden');
    expect([pod.eviction.verdict, pod.eviction.next]).toEqual(['WaitsForTaint', undefined]);
    expect((await ask(`${NODES}/n2/explain`)).code).toBe(403);
    expect((await ask(`${ZONES}/a/explain`)).code).toBe(403);
    await api.send('POST', PODS, { as: 'admin', body: podBody('p2', { nodeName: 'n2' }) });
    expect((await ask(`${PODS}/p2/explain`)).code).toBe(403);
  });
});

describe('discovery', () => {
  it('lists the subresource with its kind, and OpenAPI has its paths', async () => {
    const api = await createWorld();
    const entry = {
      namespaced: false,
      group: 'rollcall.dev',
      version: 'v1',
      kind: 'Explanation',
      verbs: ['get'],
    };
    const { json } = await api.send('GET', '/api/v1');
    expect(json.resources).toContainEqual({ name: 'nodes/explain', singularName: '', ...entry });
    const document = await api.send('GET', '/openapi/v3/apis/rollcall.dev/v1');
    expect(Object.keys(document.json.paths)).toContain('/apis/rollcall.dev/v1/zones/{name}/explain');
    const core = await api.send('GET', '/openapi/v3/api/v1');
    expect(Object.keys(core.json.components.schemas)).toContain('dev.rollcall.v1.Explanation');
  });
});
