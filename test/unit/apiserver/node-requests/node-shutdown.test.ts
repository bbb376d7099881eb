import { beforeEach, describe, expect, it } from 'vitest';
import { type Explanation, explanationText } from '../../../../cli/cluster/explanation-text.ts';
import type { TestApi } from '../../../support/servers/api.ts';
import {
  createTestApi,
  MERGE,
  NODES,
  nodeBody,
  PODS,
  podBody,
  readyNode,
  statusOf,
} from '../../../support/servers/api.ts';

const N1 = `${NODES}/n1`;
const SHUTDOWN = '/apis/rollcall.dev/v1/nodes/n1/shutdown';
const ANNOTATION = 'rollcall.dev/shutdown';
const BODY = { id: 's1', phase: 1, phases: 2, phaseSeconds: 20, remainingSeconds: 30, totalSeconds: 40 };
let api: TestApi;
let uid: string;

beforeEach(async () => {
  api = createTestApi();
  uid = (await api.send('POST', NODES, { as: 'admin', body: readyNode('n1', '2026-03-01T12:00:00Z') })).json
    .metadata.uid;
});

const asNode = (rest: object = {}) => ({ as: 'system:node:n1', nodeUid: uid, ...rest });
const post = (more: object = {}, who: object = asNode()) =>
  api.send('POST', SHUTDOWN, { ...who, body: { ...BODY, ...more } });
const end = () => api.send('DELETE', SHUTDOWN, asNode());
const node = async () => (await api.send('GET', N1, { as: 'admin' })).json;
const conditionOf = async (type: string) =>
  (await node()).status.conditions.find((one: { type: string }) => one.type === type);
const taintsOf = async () =>
  ((await node()).spec.taints ?? []).map(
    ({ key, effect }: { key: string; effect: string }) => `${key}:${effect}`,
  );

describe('POST to the shutdown of a node', () => {
  it('stores phase and deadline, makes the node not ready and keeps pods away in one write', async () => {
    const { code, json } = await post();
    expect([code, json]).toEqual([
      200,
      {
        kind: 'NodeShutdown',
        apiVersion: 'rollcall.dev/v1',
        metadata: { name: 'n1', uid },
        status: {
          id: 's1',
          phase: 1,
          phases: 2,
          beginTime: '2026-03-01T12:00:00Z',
          phaseDeadline: '2026-03-01T12:00:20Z',
          deadline: '2026-03-01T12:00:30Z',
        },
      },
    ]);
    expect(await conditionOf('GracefulNodeShutdownInProgress')).toMatchObject({ status: 'True' });
    expect(await conditionOf('Ready')).toMatchObject({ status: 'False', message: 'node is shutting down' });
    expect(await taintsOf()).toEqual([
      'node.kubernetes.io/not-ready:NoSchedule',
      'rollcall.dev/shutting-down:NoSchedule',
    ]);
  });

  it('takes less for a machine with a shell, and leaves Ready of a node that only beats', async () => {
    await api.send('POST', NODES, { as: 'admin', body: nodeBody('m1') });
    const path = SHUTDOWN.replace('n1', 'm1');
    const { json } = await api.send('POST', path, { as: 'admin', body: { id: 'x', remainingSeconds: 60 } });
    expect(json.status).toMatchObject({ phase: 1, phases: 1, deadline: '2026-03-01T12:01:00Z' });
    const stored = (await api.send('GET', `${NODES}/m1`, { as: 'admin' })).json;
    expect(stored.status.conditions.map(({ type }: { type: string }) => type)).toEqual([
      'GracefulNodeShutdownInProgress',
      'ShuttingDown',
    ]);
  });

  it('may come twice, late or again, and never moves the deadline on', async () => {
    await post();
    api.advance(10_000);
    expect((await post({ phase: 2, remainingSeconds: 15 })).json.status.deadline).toBe(
      '2026-03-01T12:00:25Z',
    );
    const { resourceVersion } = (await node()).metadata;
    for (const late of [{ phase: 2, remainingSeconds: 15 }, {}])
      expect((await post(late)).json.status).toMatchObject({ phase: 2, deadline: '2026-03-01T12:00:25Z' });
    expect((await node()).metadata.resourceVersion).toBe(resourceVersion);
    expect((await post({ phase: 2, remainingSeconds: 600 })).json.status.deadline).toBe(
      '2026-03-01T12:00:25Z',
    );
  });

  it.each([
    ['another node', { as: 'system:node:n2' }, 403],
    ['a user', { as: 'alice' }, 403],
    ['a token of an earlier Node', { as: 'system:node:n1', nodeUid: 'old' }, 401],
  ])('is refused for %s', async (_, who, code) => {
    expect((await post({}, who)).code).toBe(code);
  });

  it.each([
    [{ id: '' }, 'id: Required value'],
    [{ id: 'x'.repeat(65) }, 'at most 64 characters'],
    [{ remainingSeconds: undefined }, 'remainingSeconds: Required value'],
    [{ remainingSeconds: -1 }, 'must be a whole number from 0 to 86400'],
    [{ phase: 3 }, 'must not be greater than phases'],
    [{ deadline: '2026-03-01T12:00:00Z' }, 'must be one of id, phase'],
  ])('refuses %j', async (more, text) => {
    const [code, reason, message] = statusOf(await post(more));
    expect([code, reason]).toEqual([422, 'Invalid']);
    expect(message).toContain(text);
  });

  it('stores nothing in a trial, and knows no Node that is gone', async () => {
    await api.send('POST', `${SHUTDOWN}?dryRun=All`, { ...asNode(), body: BODY });
    expect(await conditionOf('GracefulNodeShutdownInProgress')).toBeUndefined();
    const gone = await api.send('POST', SHUTDOWN.replace('n1', 'n9'), { as: 'admin', body: BODY });
    expect(gone.code).toBe(404);
  });
});

describe('the end of a shutdown', () => {
  it('takes condition and taint away, and what is told of it later is refused', async () => {
    await post();
    expect([(await end()).code, (await end()).code]).toEqual([200, 200]);
    expect(await conditionOf('GracefulNodeShutdownInProgress')).toBeUndefined();
    expect(await taintsOf()).toEqual(['node.kubernetes.io/not-ready:NoSchedule']);
    expect(statusOf(await post({ phase: 2 }))).toEqual([
      409,
      'Conflict',
      expect.stringContaining('the shutdown "s1" has ended'),
    ]);
    expect((await post({ id: 's2' })).json.status.phase).toBe(1);
  });

  it('follows from another boot id', async () => {
    const status = (bootID: string) =>
      api.send('PATCH', `${N1}/status`, asNode({ body: { status: { nodeInfo: { bootID } } }, type: MERGE }));
    await status('a');
    await post();
    await status('a');
    expect(await conditionOf('GracefulNodeShutdownInProgress')).toBeDefined();
    await status('b');
    expect(await conditionOf('GracefulNodeShutdownInProgress')).toBeUndefined();
  });

  it('comes with the Node: one of the same name does not shut down', async () => {
    await post();
    const { metadata } = await node();
    await api.send('DELETE', N1, { as: 'admin' });
    const body = nodeBody('n1', { metadata: { annotations: metadata.annotations } });
    await api.send('POST', NODES, { as: 'admin', body });
    expect((await node()).metadata.annotations?.[ANNOTATION]).toBeUndefined();
  });
});

describe('writes of others while a node shuts down', () => {
  it('lose neither report nor condition', async () => {
    await post();
    const stored = await node();
    const conditions = stored.status.conditions.filter(
      ({ type }: { type: string }) => type !== 'ShuttingDown',
    );
    const { [ANNOTATION]: _, ...annotations } = stored.metadata.annotations;
    const without = { ...stored, metadata: { ...stored.metadata, annotations } };
    for (const [path, body] of [
      [`${N1}/status`, { ...without, status: { ...stored.status, conditions } }],
      [N1, { ...without, spec: { taints: [] } }],
    ] as const) {
      const { resourceVersion } = (await node()).metadata;
      const given = { ...body, metadata: { ...body.metadata, resourceVersion } };
      expect((await api.send('PUT', path, { as: 'admin', body: given })).code).toBe(200);
      expect(await conditionOf('GracefulNodeShutdownInProgress')).toMatchObject({ status: 'True' });
    }
    expect(await taintsOf()).toContain('rollcall.dev/shutting-down:NoSchedule');
  });
});

describe('the explanation of a shutdown (J-141)', () => {
  const addPod = (name: string, more: object = {}) => {
    const body = podBody(name, { nodeName: 'n1' });
    return api.send('POST', PODS, { as: 'admin', body: { ...body, metadata: { name, ...more } } });
  };
  const daemons = {
    ownerReferences: [{ apiVersion: 'apps/v1', kind: 'DaemonSet', name: 'd', uid: 'd', controller: true }],
  };
  const explain = async (path: string): Promise<Explanation> =>
    (await api.send('GET', `${path}/explain`, { as: 'admin' })).json;
  const block = async (path: string, question: string): Promise<string> =>
    explanationText(await explain(path))
      .split('\n\n')
      .find((text) => text.startsWith(question)) ?? '';

  beforeEach(async () => {
    await addPod('web');
    await addPod('agent', daemons);
    await post({ phase: 2, phases: 4, phaseSeconds: 15, remainingSeconds: 40 });
    api.advance(5_000);
  });

  it('names the phase, what is left of it and of all, and the pods that end', async () => {
    const text = await block(N1, 'shutdown');
    expect(text).toContain('shutting down, for 5s');
    expect(text).toContain('end of phase 2 of 4: in 10s');
    expect(text).toContain('until then the node ends its pods itself: in 35s');
    expect(text).toContain('pods that end with it: 1: default/web');
    expect(text).toContain('next: treated as any node that is not ready, in 35s (12:00:40)');
    expect(text).toContain('unless it cancels its shutdown or boots');
    expect(await block(N1, 'taint')).toContain('not tainted, because it is shutting down');
  });

  it('says of a pod whether it ends', async () => {
    expect(await block(`${PODS}/web`, 'shutdown')).toContain('ends with its node, which is shutting down');
    expect(await block(`${PODS}/agent`, 'shutdown')).toContain('not replaced: it belongs to its node');
    expect(await block(`${PODS}/web`, 'eviction')).toContain('not evicted');
  });

  it('is gone from the deadline on', async () => {
    api.advance(35_000);
    expect([await block(N1, 'shutdown'), await block(`${PODS}/web`, 'shutdown')]).toEqual(['', '']);
    expect(await block(N1, 'taint')).not.toContain('shutting down');
  });

  it('names no pods to a caller who may not read them', async () => {
    const { answers } = (await api.send('GET', `${N1}/explain`, asNode())).json;
    const shutdown = answers.find(({ question }: { question: string }) => question === 'shutdown');
    expect(shutdown.because.map(({ message }: { message: string }) => message)).toContain(
      'you may not read pods',
    );
  });
});
