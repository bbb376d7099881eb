import { describe, expect, it } from 'vitest';
import { podRows } from '../../../../../dashboard/page/detail/pod-rows.ts';
import type { Node, Pod, Taint } from '../../../../../shared/kube/types/core.ts';

const NOW = Date.parse('2026-03-01T12:00:00Z');
const at = (ms: number): string => new Date(NOW + ms).toISOString();

const node = (taints: readonly Taint[], ready = 'Unknown'): Node =>
  ({
    kind: 'Node',
    apiVersion: 'v1',
    metadata: { name: 'n1' },
    spec: { taints },
    status: { conditions: [{ type: 'Ready', status: ready }] },
  }) as Node;

const UNREACHABLE: Taint = {
  key: 'node.kubernetes.io/unreachable',
  effect: 'NoExecute',
  timeAdded: at(-10_000),
};

const pod = (name: string, tolerationSeconds?: number, more: object = {}, status: object = {}): Pod => ({
  kind: 'Pod',
  apiVersion: 'v1',
  metadata: { name, namespace: 'shop', uid: name, ...more },
  spec: {
    nodeName: 'n1',
    tolerations: [
      {
        key: UNREACHABLE.key,
        operator: 'Exists',
        effect: 'NoExecute',
        ...(tolerationSeconds === undefined ? {} : { tolerationSeconds }),
      },
    ],
  },
  status: { phase: 'Running', ...status },
});

const leaving = { deletionTimestamp: at(15_000), deletionGracePeriodSeconds: 30 };

describe('the pods of a node, and how long they stay', () => {
  it.each<[string, Pod, Node, string, RegExp, number | undefined]>([
    ['nothing, while the node has no taint', pod('web', 15), node([]), '', /^$/, undefined],
    [
      'the rest of its toleration',
      ...([pod('web', 40), node([UNREACHABLE]), 'leaves in 30s'] as const),
      ...([/^tolerates unreachable for 40s, tainted at /, 0.75] as const),
    ],
    [
      'no limit, with a toleration without one',
      ...([pod('web'), node([UNREACHABLE]), 'stays', /tolerates the taints/, undefined] as const),
    ],
    [
      'the time that it has to stop',
      ...([pod('web', 40, leaving), node([], 'True'), 'is stopping', /^it is killed in 15s$/, 0.5] as const),
    ],
    [
      'the end of that time',
      ...([pod('web', 40, { deletionTimestamp: at(-1) }), node([], 'True'), 'is stopping'] as const),
      ...([/is over$/, 0] as const),
    ],
    [
      'no end, if its node does not answer',
      ...([
        pod('web', 40, leaving),
        node([UNREACHABLE]),
        'told to stop',
        /until its node answers/,
        undefined,
      ] as const),
    ],
    [
      'nothing, if it has ended',
      ...([pod('job', 40, {}, { phase: 'Succeeded' }), node([UNREACHABLE]), '', /^$/, undefined] as const),
    ],
  ])('%s', (_, one, on, text, why, left) => {
    const [row] = podRows([one], on, NOW);
    expect([row?.text, row?.left]).toEqual([text, left]);
    expect(row?.why).toMatch(why);
  });

  it('has those first that leave first, then the others by name', () => {
    const pods = [pod('z'), pod('late', 300), pod('soon', 15), pod('a')];
    expect(podRows(pods, node([UNREACHABLE]), NOW).map(({ name }) => name)).toEqual([
      'soon',
      'late',
      'a',
      'z',
    ]);
  });
});
