import { describe, expect, it } from 'vitest';
import { Refused } from '../../../../cli/doctor/smoke/ports.ts';
import { createSmokeCluster } from '../../../../cli/doctor/smoke/smoke-cluster.ts';
import type { CommandContext } from '../../../../cli/shell/command.ts';

const NODE = 'rollcall-smoke-1';
const ACCESS = {
  server: 'https://api',
  ca: undefined,
  heartbeat: async () => 'https://beats',
  tokens: () => async () => 'admin-token',
};

type Answers = Readonly<Record<string, readonly [status: number, body: unknown]>>;

const clusterWith = (answers: Answers) => {
  const asked: { readonly call: string; readonly token: string | null; readonly body: unknown }[] = [];
  const fetch: CommandContext['fetch'] = async (url, { method = 'GET', headers, body } = {}) => {
    const call = `${method} ${url}`;
    const token = new Headers(headers).get('authorization');
    asked.push({ call, token, body: typeof body === 'string' ? JSON.parse(body) : undefined });
    const [status, answer] = answers[call] ?? [404, { message: 'not found' }];
    return new Response(typeof answer === 'string' ? answer : JSON.stringify(answer), { status });
  };
  return { cluster: createSmokeCluster(NODE, ACCESS, fetch), asked };
};

const TOKEN = `POST https://api/apis/rollcall.dev/v1/nodes/${NODE}/token`;
const BEAT = `POST https://beats/apis/rollcall.dev/v1/nodes/${NODE}/heartbeat`;
const LOOK = `GET https://api/api/v1/nodes/${NODE}`;

describe('the node of the smoke test', () => {
  it('is in a zone of its own that is no domain of zones, is not counted, and takes no pods', async () => {
    const { cluster, asked } = clusterWith({ 'POST https://api/api/v1/nodes': [201, {}] });
    await cluster.register();
    expect(asked[0]?.body).toMatchObject({
      metadata: {
        name: NODE,
        labels: {
          'rollcall.dev/smoke-test': '',
          'topology.kubernetes.io/region': NODE,
          'node.kubernetes.io/exclude-disruption': '',
        },
      },
      spec: { unschedulable: true, taints: [{ key: 'rollcall.dev/smoke-test', effect: 'NoSchedule' }] },
      status: { allocatable: { pods: '0' } },
    });
    expect(JSON.stringify(asked[0]?.body)).not.toMatch(/topology\.kubernetes\.io\/zone|hostname/);
  });

  it('beats with its own token at the address for heartbeats', async () => {
    const { cluster, asked } = clusterWith({
      [TOKEN]: [201, { status: { token: 'own-token' } }],
      [BEAT]: [200, { graceSeconds: 40 }],
    });
    await cluster.enrol();
    expect(await cluster.beat()).toBe(40_000);
    expect(asked.map(({ call, token }) => [call, token])).toEqual([
      [TOKEN, 'Bearer admin-token'],
      [BEAT, 'Bearer own-token'],
    ]);
  });

  it('is seen with its condition and its NoExecute taints, and explained', async () => {
    const taints = [
      { key: 'a', effect: 'NoExecute' },
      { key: 'b', effect: 'NoSchedule' },
    ];
    const because = [{ message: 'all zones are down' }];
    const { cluster } = clusterWith({
      [LOOK]: [200, { spec: { taints }, status: { conditions: [{ type: 'Ready', status: 'Unknown' }] } }],
      [`${LOOK}/explain`]: [
        200,
        { answers: [{ question: 'taint', verdict: 'HeldByZone', message: 'no', because }] },
      ],
    });
    expect(await cluster.look()).toEqual({ ready: 'Unknown', noExecute: ['a'] });
    expect(await cluster.explain('taint')).toEqual({
      verdict: 'HeldByZone',
      message: 'no; all zones are down',
    });
    expect(await cluster.explain('health')).toBeUndefined();
  });

  it('is gone where there is none, and may be deleted again', async () => {
    const { cluster } = clusterWith({});
    expect([await cluster.look(), await cluster.explain('health')]).toEqual([undefined, undefined]);
    await cluster.remove();
  });

  it.each<[number, unknown, boolean]>([
    [401, { message: 'no' }, true],
    [403, '{"Message":null}', true],
    [429, { message: 'later' }, false],
    [502, 'Internal Server Error', false],
  ])('is refused for good with some answers: %d', async (status, body, isFinal) => {
    const { cluster } = clusterWith({ [LOOK]: [status, body] });
    const error = await cluster.look().catch((reason: unknown) => reason);
    expect([error instanceof Error, error instanceof Refused]).toEqual([true, isFinal]);
  });

  it('refuses an answer to a beat that is no receipt', async () => {
    const { cluster } = clusterWith({ [BEAT]: [200, { hello: 'world' }] });
    await expect(cluster.beat()).rejects.toThrow(/no receipt/);
  });
});
