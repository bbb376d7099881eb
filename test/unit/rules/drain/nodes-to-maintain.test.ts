import { describe, expect, it } from 'vitest';
import type { NodeMaintenance } from '../../../../shared/kube/types/node-maintenance.ts';
import { withDrainRequest } from '../../../../shared/rules/drain/node-drain.ts';
import { concurrencyOf, mayBegin } from '../../../../shared/rules/drain/nodes-to-maintain.ts';
import { aNode, at, ready } from '../../../support/objects/domain-objects.ts';

const T = at('2026-03-08T02:00:00Z');
const READY = aNode({ conditions: [ready('True', T)] });
const REQUEST = { id: 'x', requestedAt: T, by: 'an operator', reason: 'maintenance' };

describe('the nodes that a maintenance begins with (E-23)', () => {
  it.each([
    ['a ready node', READY, true],
    ['a node that is not ready', aNode({ conditions: [ready('False', T)] }), false],
    ['a node that another request drains', withDrainRequest(READY, REQUEST), false],
    ['a node that is cordoned', { ...READY, spec: { unschedulable: true } }, true],
    [
      'a node that is being deleted',
      { ...READY, metadata: { ...READY.metadata, deletionTimestamp: '2026-03-08T02:00:00Z' } },
      false,
    ],
  ])('may be %s: %#', (_, node, expected) => {
    expect(mayBegin(node)).toBe(expected);
  });

  it.each<[number | string, number, number]>([
    [2, 10, 2],
    ['20%', 10, 2],
    ['25%', 10, 2],
    ['10%', 3, 1],
    [5, 0, 5],
  ])('are at most %s of %s at the same time', (maxConcurrent, selected, expected) => {
    const maintenance: NodeMaintenance = {
      apiVersion: 'rollcall.dev/v1',
      kind: 'NodeMaintenance',
      metadata: { name: 'rack-r7' },
      spec: { maxConcurrent },
    };
    expect(concurrencyOf(maintenance, selected)).toBe(expected);
  });
});
