import { describe, expect, it } from 'vitest';
import type { Node } from '../../../../shared/kube/types/core.ts';
import type { Condition } from '../../../../shared/kube/types/meta.ts';
import {
  withoutCondition,
  withStoredLifecycle,
  withTrueCondition,
} from '../../../../shared/rules/drain/lifecycle-conditions.ts';
import { aCondition, aNode, at, ready } from '../../../support/objects/domain-objects.ts';

const NOW = at('2026-01-02T03:04:05Z');
const THEN = '2026-01-02T03:00:00Z';
const TOLD = { type: 'MaintenancePlanned', reason: 'Maintenance', message: 'on Sunday' };

const nodeWith = (...conditions: readonly Condition[]): Node => aNode({ conditions });
const planned = (more: Partial<Condition> = {}): Condition => ({
  ...TOLD,
  status: 'True',
  lastTransitionTime: THEN,
  ...more,
});

describe('a condition of the life of a node (V-70)', () => {
  it.each<[string, Node, readonly Condition[]]>([
    ['begins', nodeWith(), [planned({ lastTransitionTime: '2026-01-02T03:04:05Z' })]],
    ['is as it was', nodeWith(planned()), [planned()]],
    ['says something else, and is true since then', nodeWith(planned({ message: 'on Monday' })), [planned()]],
    [
      'was False',
      nodeWith(planned({ status: 'False' })),
      [planned({ lastTransitionTime: '2026-01-02T03:04:05Z' })],
    ],
    ['stays in its place', nodeWith(planned(), ready('True')), [planned(), ready('True')]],
    ['was written twice', nodeWith(planned(), planned({ message: 'x' })), [planned()]],
  ])('%s', (_, node, expected) => {
    expect(withTrueCondition(node, TOLD, NOW).status?.conditions).toEqual(expected);
  });

  it('is no write if nothing changes', () => {
    const node = nodeWith(ready('True'), planned());
    expect(withTrueCondition(node, TOLD, NOW)).toBe(node);
  });

  it('goes, unless it is that of somebody else', () => {
    const [own, others] = [nodeWith(planned()), nodeWith(planned({ reason: 'KernelUpgrade' }))];
    expect(withoutCondition(own, TOLD.type, 'Maintenance').status?.conditions).toEqual([]);
    expect(withoutCondition(others, TOLD.type, 'Maintenance')).toBe(others);
  });
});

describe('what a node says of its own life (V-71)', () => {
  const drained = aCondition('Drained', 'True');
  const going = aCondition('GracefulNodeShutdownInProgress', 'True');

  it.each<[string, Node, Node | undefined, readonly Condition[]]>([
    ['that it is drained, counts for nothing', nodeWith(ready('True'), drained), nodeWith(), [ready('True')]],
    ['when it registers, counts for nothing', nodeWith(drained, planned()), undefined, []],
    [
      'leaves out what is stored, and loses none of it',
      nodeWith(),
      nodeWith(drained, planned()),
      [drained, planned()],
    ],
    [
      'in other words, leaves the stored ones',
      nodeWith({ ...drained, status: 'False' }, ready('True')),
      nodeWith(drained),
      [ready('True'), drained],
    ],
    ['that it shuts down, counts', nodeWith(going), nodeWith(), [going]],
  ])('%s', (_, after, before, expected) => {
    expect(withStoredLifecycle(after, before).status?.conditions).toEqual(expected);
  });

  it('is no other object if it has not changed them', () => {
    const node = nodeWith(ready('True'), drained);
    expect(withStoredLifecycle(node, nodeWith(drained))).toBe(node);
  });
});
