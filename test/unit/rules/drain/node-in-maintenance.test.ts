import { describe, expect, it } from 'vitest';
import type { Node } from '../../../../shared/kube/types/core.ts';
import type { NodeMaintenance, NodeMaintenanceSpec } from '../../../../shared/kube/types/node-maintenance.ts';
import { MAINTENANCE_DONE_ANNOTATION } from '../../../../shared/rules/drain/drain-annotations.ts';
import { drainRequestOf, withDrainRequest } from '../../../../shared/rules/drain/node-drain.ts';
import {
  isOfMaintenance,
  MAINTENANCE_ANNOTATION,
  maintenanceId,
  maintenanceNameOf,
  maintenanceOf,
  maintenanceStep,
  withMaintenance,
  withMaintenanceEnded,
} from '../../../../shared/rules/drain/node-in-maintenance.ts';
import { aCondition, aNode, at, ready } from '../../../support/objects/domain-objects.ts';

const T = at('2026-03-08T02:00:00Z');
const maintenance = (spec: NodeMaintenanceSpec = {}): NodeMaintenance => ({
  apiVersion: 'rollcall.dev/v1',
  kind: 'NodeMaintenance',
  metadata: { name: 'rack-r7' },
  spec: { doneWhen: 'Rebooted', uncordon: true, ...spec },
});
const ID = maintenanceId(maintenance(), T);
const REQUEST = { id: ID, requestedAt: T, by: 'NodeMaintenance rack-r7', reason: 'maintenance' };

const machine = (bootID: string, ...more: readonly ReturnType<typeof aCondition>[]): Node => {
  const node = aNode({ conditions: [ready('True', T), ...more] });
  return { ...node, status: { ...node.status, nodeInfo: { bootID } } };
};
const begun = withMaintenance(machine('boot-1'), REQUEST);
const drained = (node: Node, bootID = 'boot-1'): Node => ({
  ...node,
  status: { conditions: [ready('True', T), aCondition('Drained', 'True')], nodeInfo: { bootID } },
});
const said = (node: Node): Node => ({
  ...node,
  metadata: {
    ...node.metadata,
    annotations: { ...node.metadata.annotations, [MAINTENANCE_DONE_ANNOTATION]: 'true' },
  },
});
const record = maintenanceOf(begun);

describe('a node whose maintenance begins (E-23)', () => {
  it('is drained, and knows by whom, and its boot id', () => {
    expect(record).toEqual({ id: ID, phase: 'InProgress', bootID: 'boot-1' });
    expect(drainRequestOf(begun)).toEqual(REQUEST);
    expect(maintenanceNameOf({ id: ID, phase: 'Done' })).toBe('rack-r7');
    expect(isOfMaintenance({ id: ID, phase: 'Done' }, 'rack-r')).toBe(false);
  });

  it('says so by a condition, until its maintenance ends (V-70)', () => {
    const found = begun.status?.conditions?.find(({ type }) => type === 'MaintenanceInProgress');
    expect(found).toEqual({
      type: 'MaintenanceInProgress',
      status: 'True',
      reason: 'Maintenance',
      message: 'NodeMaintenance rack-r7 maintains the node',
      lastTransitionTime: '2026-03-08T02:00:00Z',
    });
    const ended = withMaintenanceEnded(begun, { id: ID, phase: 'InProgress' }, 'Done', false);
    expect(ended.status?.conditions?.map(({ type }) => type)).toEqual(['Ready']);
  });

  it('forgets what somebody has said of an earlier one', () => {
    expect(
      withMaintenance(said(machine('b')), REQUEST).metadata.annotations?.[MAINTENANCE_DONE_ANNOTATION],
    ).toBeUndefined();
  });

  it('has a record that can be read, or none', () => {
    const node = aNode();
    const annotations = { [MAINTENANCE_ANNOTATION]: '{"id":1}' };
    expect(maintenanceOf({ ...node, metadata: { ...node.metadata, annotations } })).toBeUndefined();
  });
});

describe('what comes next for a node (E-24)', () => {
  const gaveUp: Node = {
    ...begun,
    status: { conditions: [{ ...aCondition('DrainInProgress', 'False'), message: '1 pod is left' }] },
  };
  const rows: readonly [string, Node, NodeMaintenanceSpec, boolean, string][] = [
    ['it is drained', begun, {}, false, 'draining'],
    ['it is drained too late', begun, {}, true, 'fail: not drained when the window ended'],
    ['its drain gives up', gaveUp, {}, false, 'fail: not drained: 1 pod is left'],
    ['it is maintained until it has booted', drained(begun), {}, true, 'maintaining'],
    ['it has booted', drained(begun, 'boot-2'), {}, true, 'done'],
    [
      'it has booted and is not ready',
      {
        ...drained(begun, 'boot-2'),
        status: { conditions: [aCondition('Drained', 'True')], nodeInfo: { bootID: 'boot-2' } },
      },
      {},
      false,
      'maintaining',
    ],
    ['somebody says so, and that is not asked', said(drained(begun)), {}, false, 'maintaining'],
    ['somebody says so', said(drained(begun)), { doneWhen: 'Annotated' }, false, 'done'],
    ['nobody says so', drained(begun, 'boot-2'), { doneWhen: 'Annotated' }, false, 'maintaining'],
    ['to be drained is enough', drained(begun), { doneWhen: 'Drained' }, false, 'done'],
    [
      'it is uncordoned',
      { ...begun, spec: {} },
      {},
      false,
      'fail: cancelled: the node is schedulable, or the request is gone',
    ],
    [
      'somebody else drains it',
      withDrainRequest(begun, { ...REQUEST, id: 'x', by: 'alice' }),
      {},
      false,
      'fail: taken over by another drain, requested by alice',
    ],
  ];
  it.each(rows)('%s', (_, node, spec, isOver, expected) => {
    const step = record && maintenanceStep(node, record, maintenance(spec), isOver);
    expect(step && ('message' in step ? `fail: ${step.message}` : step.step)).toBe(expected);
  });

  it('needs a boot id to prove a boot', () => {
    const node = withMaintenance(aNode({ conditions: [ready('True', T)] }), REQUEST);
    const own = maintenanceOf(node);
    expect(own && maintenanceStep(drained(node, 'boot-2'), own, maintenance(), false).step).toBe(
      'maintaining',
    );
  });
});

describe('a node whose maintenance ends (E-25)', () => {
  const end = (node: Node, leavesCordoned: boolean, message?: string) =>
    record ? withMaintenanceEnded(node, record, message ? 'Failed' : 'Done', leavesCordoned, message) : node;

  it('is schedulable again, and keeps the record of the window', () => {
    const node = end(said(begun), false);
    expect(node.spec?.unschedulable).toBeUndefined();
    expect(drainRequestOf(node)).toBeUndefined();
    expect(maintenanceOf(node)).toMatchObject({ id: ID, phase: 'Done' });
    expect(node.metadata.annotations?.[MAINTENANCE_DONE_ANNOTATION]).toBeUndefined();
  });

  it('stays cordoned if that is wanted, without a request', () => {
    const node = end(begun, true);
    expect([node.spec?.unschedulable, drainRequestOf(node)]).toEqual([true, undefined]);
  });

  it('stays cordoned if it was so before', () => {
    const before = { ...machine('b'), spec: { unschedulable: true } };
    expect(end(withMaintenance(before, REQUEST), false).spec?.unschedulable).toBe(true);
  });

  it('is left to whoever drains it now', () => {
    const other = withDrainRequest(begun, { ...REQUEST, id: 'x' });
    const node = end(other, false, 'taken over');
    expect([drainRequestOf(node)?.id, maintenanceOf(node)?.phase]).toEqual(['x', 'Failed']);
  });
});
