import { describe, expect, it } from 'vitest';
import type { Condition } from '../../../../../shared/kube/types/meta.ts';
import {
  explainNodeMaintenance,
  explainSaidShutdown,
} from '../../../../../shared/rules/explain/node/node-maintenance.ts';
import { aNode, at } from '../../../../support/objects/domain-objects.ts';

const TIME = '2026-01-02T03:04:05Z';
const is = (type: string, message: string): Condition => ({
  type,
  status: 'True',
  reason: 'Maintenance',
  message,
  lastTransitionTime: TIME,
});
const PLANNED = is('MaintenancePlanned', 'on Sunday');
const GOING = is('MaintenanceInProgress', 'since Sunday');
const SAID = is('GracefulNodeShutdownInProgress', 'it goes');
const nodeWith = (...conditions: readonly Condition[]) => aNode({ conditions });

describe('the explanation of maintenance (V-70)', () => {
  it.each<[string, readonly Condition[], string, readonly string[]]>([
    ['planned', [PLANNED], 'MaintenancePlanned', ['on Sunday']],
    ['in progress', [GOING], 'InMaintenance', ['since Sunday']],
    ['in progress, and planned again', [PLANNED, GOING], 'InMaintenance', ['since Sunday', 'on Sunday']],
  ])('that is %s', (_, conditions, verdict, messages) => {
    const answer = explainNodeMaintenance(nodeWith(...conditions));
    expect([answer?.verdict, answer?.since]).toEqual([verdict, at(TIME)]);
    expect(answer?.because.map(({ values }) => values?.['message'])).toEqual(messages);
  });

  it('is none without a condition', () => {
    expect(explainNodeMaintenance(nodeWith({ ...PLANNED, status: 'False' }))).toBeUndefined();
  });
});

describe('the explanation of a shutdown that only the kubelet tells of (V-70)', () => {
  it('has no end that is known', () => {
    expect(explainSaidShutdown(nodeWith(SAID))).toMatchObject({ verdict: 'ShuttingDown', since: at(TIME) });
    expect(explainSaidShutdown(nodeWith(PLANNED))).toBeUndefined();
  });
});
