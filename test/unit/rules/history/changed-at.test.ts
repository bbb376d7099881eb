import { describe, expect, it } from 'vitest';
import type { Node } from '../../../../shared/kube/types/core.ts';
import { changedAt } from '../../../../shared/rules/history/changed-at.ts';
import { seenNode } from '../../../../shared/rules/history/seen-node.ts';

const at = (time: string): number => Date.parse(`2026-01-02T${time}Z`);
const node = (
  more: Omit<Partial<Node>, 'metadata'> & { readonly metadata?: Partial<Node['metadata']> },
): Node => ({
  apiVersion: 'v1',
  kind: 'Node',
  ...more,
  metadata: { name: 'n1', creationTimestamp: '2026-01-02T09:00:00Z', ...more.metadata },
});
const ready = (reason: string, lastTransitionTime: string) => ({
  conditions: [{ type: 'Ready', status: 'Unknown' as const, reason, lastTransitionTime }],
});
const bounds = { notBefore: at('10:00:00'), receivedAt: at('11:00:00') };

describe('changedAt', () => {
  const rows: readonly (readonly [string, Node, string])[] = [
    ['without a later stamp: the change before it', node({}), '10:00:00'],
    [
      'the write of a client',
      node({ metadata: { managedFields: [{ time: '2026-01-02T10:05:00Z' }] } }),
      '10:05:00',
    ],
    [
      'Ready by the monitor',
      node({ status: ready('NodeStatusUnknown', '2026-01-02T10:06:00Z') }),
      '10:06:00',
    ],
    [
      'not Ready by the clock of a machine',
      node({ status: ready('KubeletReady', '2026-01-02T10:06:00Z') }),
      '10:00:00',
    ],
    [
      'a taint of the control plane',
      node({
        spec: {
          taints: [
            { key: 'node.kubernetes.io/unreachable', effect: 'NoExecute', timeAdded: '2026-01-02T10:07:00Z' },
          ],
        },
      }),
      '10:07:00',
    ],
    [
      'not a taint of somebody else',
      node({ spec: { taints: [{ key: 'mine', effect: 'NoExecute', timeAdded: '2026-01-02T10:07:00Z' }] } }),
      '10:00:00',
    ],
    [
      'nothing that is to come',
      node({ metadata: { managedFields: [{ time: '2026-01-02T12:00:00Z' }] } }),
      '10:00:00',
    ],
    [
      'nothing that is no time',
      node({ metadata: { managedFields: [{ time: 'yesterday' }, {}] } }),
      '10:00:00',
    ],
  ];
  it.each(rows)('J-252 %s', (_name, object, expected) => {
    expect(changedAt(object, bounds)).toBe(at(expected));
  });
});

describe('seenNode', () => {
  it('J-256 keeps by what people tell the state of a node', () => {
    const labels = { 'topology.kubernetes.io/zone': 'b', 'node.kubernetes.io/exclude-disruption': '' };
    const annotations = { 'rollcall.dev/shutdown': 'not JSON' };
    const taints = [
      { key: 'z', effect: 'NoExecute' as const },
      { key: 'a', effect: 'NoExecute' as const },
      { key: 'other', effect: 'NoSchedule' as const },
    ];
    expect(
      seenNode(node({ metadata: { labels, annotations }, spec: { taints, unschedulable: true } })),
    ).toEqual({
      zone: 'b',
      ready: '-',
      noExecute: ['a', 'z'],
      isCordoned: true,
      isDraining: false,
      isShuttingDown: false,
      isCounted: false,
    });
  });
});
