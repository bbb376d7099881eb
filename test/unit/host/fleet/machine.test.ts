import { describe, expect, it } from 'vitest';
import { createMachine } from '../../../../host/fleet/machine.ts';
import { planFleet } from '../../../../host/fleet/plan.ts';
import type { ApiAnswer, CallOptions } from '../../../../shared/client/api-client.ts';

const START = Date.parse('2026-03-01T12:00:00Z');
const DAY = 86_400_000;
const FLEET = planFleet({ nodes: 12, zones: 3, pods: 0 });
const PLAIN = FLEET.find(({ kind }) => kind === 'plain');
const KUBELET = FLEET.find(({ kind }) => kind === 'kubelet');

/** An API that knows which tokens are good, and notes who asked for another one. */
const world = () => {
  let now = START;
  let made = 0;
  const valid = new Set(['admin']);
  const askers: string[] = [];
  const beats: string[] = [];
  const answer = (status: number, body: object = {}): ApiAnswer => ({ status, body, headers: {} });
  const call = async (_method: string, path: string, token: string): Promise<ApiAnswer> => {
    if (!valid.has(token)) return answer(401, { message: 'Unauthorized' });
    if (path.endsWith('/heartbeat')) beats.push(token);
    if (!path.endsWith('/token')) return answer(200);
    askers.push(token);
    made += 1;
    valid.add(`t${made}`);
    const expirationTimestamp = new Date(now + DAY).toISOString();
    return answer(201, { status: { token: `t${made}`, expirationTimestamp } });
  };
  if (!PLAIN) throw new Error('the fleet has no plain machine');
  const deps = { client: { call, close: () => undefined }, now: () => now, intervalSeconds: 10 };
  return {
    machine: createMachine(PLAIN, { ...deps, adminToken: () => 'admin' }),
    valid,
    askers,
    beats,
    advance: (ms: number) => {
      now += ms;
    },
  };
};

describe('the token of a simulated machine', () => {
  it('is renewed by the machine after half of its lifetime', async () => {
    const { machine, askers, beats, advance } = world();
    await machine.join();
    await machine.beat();
    advance(DAY / 2 - 1);
    await machine.beat();
    advance(1);
    await machine.beat();
    expect(beats).toEqual(['t1', 't1', 't2']);
    expect(askers).toEqual(['admin', 't1']);
  });

  it('is replaced when its key was retired', async () => {
    const { machine, askers, beats, valid } = world();
    await machine.join();
    valid.delete('t1');
    await machine.beat();
    expect([beats, askers]).toEqual([['t2'], ['admin', 'admin']]);
  });

  it('is replaced at the next request if it can no longer be renewed', async () => {
    const { machine, beats, askers, valid, advance } = world();
    await machine.join();
    advance(DAY / 2);
    valid.delete('t1');
    await machine.beat();
    expect(beats).toEqual(['t2']);
    expect(askers).toEqual(['admin', 'admin']);
  });
});

it('a simulated kubelet posts its own conditions only, so that those of controllers stay', async () => {
  if (!KUBELET) throw new Error('the fleet has no kubelet');
  const posted: unknown[] = [];
  const drained = { type: 'Drained', status: 'True', reason: 'NodeDrained' };
  const node = { kind: 'Node', status: { conditions: [drained], nodeInfo: { osImage: 'x' } } };
  const call = async (
    method: string,
    path: string,
    _: string,
    body?: object,
    options?: CallOptions,
  ): Promise<ApiAnswer> => {
    if (method === 'PATCH') posted.push([path, options?.mediaType, body]);
    return { status: 200, body: path.includes('pods') ? { items: [] } : node, headers: {} };
  };
  const deps = { client: { call, close: () => undefined }, now: () => START, intervalSeconds: 10 };
  await createMachine(KUBELET, { ...deps, adminToken: () => 'admin' }).report();
  const types = ['MemoryPressure', 'DiskPressure', 'PIDPressure', 'Ready'];
  const conditions = types.map((type) => expect.objectContaining({ type }));
  const path = `/api/v1/nodes/${KUBELET.name}/status`;
  expect(posted).toEqual([[path, 'application/strategic-merge-patch+json', { status: { conditions } }]]);
});

describe('a pod of a simulated machine', () => {
  const RUNNING = { phase: 'Running', startTime: 'then', conditions: [{ type: 'Ready', status: 'True' }] };

  /** The statuses that a machine posts for a pod of this kind. */
  const posted = async (restartPolicy: string | undefined, status: object): Promise<readonly unknown[]> => {
    if (!PLAIN) throw new Error('the fleet has no plain machine');
    const bodies: unknown[] = [];
    const spec = { nodeName: PLAIN.name, restartPolicy, containers: [{ name: 'c', image: 'i' }] };
    const pod = { metadata: { namespace: 'default', name: 'x' }, spec, status };
    const call = async (method: string, _p: string, _t: string, body?: object): Promise<ApiAnswer> => {
      if (method !== 'GET') bodies.push(body);
      return { status: 200, body: { items: [pod] }, headers: {} };
    };
    const deps = { client: { call, close: () => undefined }, now: () => START, intervalSeconds: 10 };
    await createMachine(PLAIN, { ...deps, adminToken: () => 'admin' }).reportPods();
    return bodies;
  };

  it.each(['Always', 'OnFailure', 'Never', undefined])('runs: restartPolicy %s', async (policy) => {
    const status = expect.objectContaining({ phase: 'Running', startTime: '2026-03-01T12:00:00Z' });
    expect(await posted(policy, { phase: 'Pending' })).toEqual([{ status }]);
  });

  it.each(['Always', undefined])('runs on: restartPolicy %s', async (policy) => {
    expect(await posted(policy, RUNNING)).toEqual([]);
  });

  it.each(['OnFailure', 'Never'])(
    'ends with success, as the pod of a Job: restartPolicy %s',
    async (policy) => {
      const terminated = {
        exitCode: 0,
        reason: 'Completed',
        startedAt: 'then',
        finishedAt: '2026-03-01T12:00:00Z',
      };
      const condition = (type: string) =>
        expect.objectContaining({ type, status: 'False', reason: 'PodCompleted' });
      const status = {
        phase: 'Succeeded',
        conditions: ['ContainersReady', 'Ready'].map(condition),
        containerStatuses: [expect.objectContaining({ name: 'c', ready: false, state: { terminated } })],
      };
      expect(await posted(policy, RUNNING)).toEqual([{ status }]);
    },
  );

  it.each(['Succeeded', 'Failed'])('never runs again when it has ended: %s', async (phase) => {
    expect(await posted('Never', { phase })).toEqual([]);
    expect(await posted('Always', { phase })).toEqual([]);
  });
});
