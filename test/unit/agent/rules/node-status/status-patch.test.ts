import { describe, expect, it } from 'vitest';
import { nodeStatusPatch } from '../../../../../agent/rules/node-status/status-patch.ts';
import { applyStrategicMerge } from '../../../../../shared/kube/patch/strategic-merge.ts';
import { kindSchema } from '../../../../../shared/kube/schema/schema-of.ts';
import type { Node, NodeStatus } from '../../../../../shared/kube/types/core.ts';

const node = (status: NodeStatus, metadata: Partial<Node['metadata']> = {}): Node => ({
  apiVersion: 'v1',
  kind: 'Node',
  metadata: { name: 'n1', ...metadata },
  status,
});

const condition = (type: string, status: 'True' | 'False', lastHeartbeatTime: string) => ({
  type,
  status,
  lastHeartbeatTime,
});

const before = node({
  conditions: [condition('Ready', 'True', '1'), condition('Foreign', 'True', '1')],
  capacity: { cpu: '2', 'hugepages-2Mi': '0' },
  images: [{ names: ['a'], sizeBytes: 1 }],
});

describe('the patch of a status', () => {
  it('is empty if nothing but the spec and empty lists differ', () => {
    const after = { ...before, spec: { unschedulable: true }, status: { ...before.status, addresses: [] } };
    expect(nodeStatusPatch(before, after)).toEqual({});
  });

  it('has of a condition what differs, and the order of all', () => {
    const after = node({
      ...before.status,
      conditions: [condition('Ready', 'True', '2'), condition('Foreign', 'True', '1')],
    });
    expect(nodeStatusPatch(before, after)).toEqual({
      status: {
        conditions: [{ type: 'Ready', lastHeartbeatTime: '2' }],
        '$setElementOrder/conditions': [{ type: 'Ready' }, { type: 'Foreign' }],
      },
    });
  });

  it.each<[string, Node]>([
    [
      'conditions in another order',
      node({ ...before.status, conditions: [...(before.status?.conditions ?? [])].reverse() }),
    ],
    [
      'a condition less, and one more',
      node({
        ...before.status,
        conditions: [condition('Memory', 'False', '3'), condition('Ready', 'False', '3')],
      }),
    ],
    ['other amounts and images', node({ ...before.status, capacity: { cpu: '4' }, images: [] })],
    [
      'labels, and several addresses of one type',
      node(
        {
          ...before.status,
          addresses: [
            { type: 'InternalIP', address: '10.0.0.1' },
            { type: 'InternalIP', address: '::1' },
          ],
        },
        { labels: { a: 'b' } },
      ),
    ],
  ])('makes the Node what it is to be: %s', (_name, after) => {
    const patched = applyStrategicMerge(
      { ...before },
      nodeStatusPatch(before, after),
      kindSchema('core.v1.Node'),
    );
    const { images = [], ...status } = (patched['status'] ?? {}) as NodeStatus;
    expect({ ...patched, status: { ...status, images } }).toEqual(after);
  });
});
