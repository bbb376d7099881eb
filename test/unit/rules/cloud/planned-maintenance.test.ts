import { describe, expect, it } from 'vitest';
import type { Node } from '../../../../shared/kube/types/core.ts';
import type { Condition } from '../../../../shared/kube/types/meta.ts';
import {
  withCloudAnnouncement,
  withMaintenanceConditions,
} from '../../../../shared/rules/cloud/planned-maintenance.ts';
import { withScheduled } from '../../../../shared/rules/cloud/scheduled-maintenance.ts';
import type { PlannedWindow } from '../../../../shared/rules/drain/planned-windows.ts';
import { at } from '../../../support/objects/domain-objects.ts';

const HOUR = 3_600_000;
const NOW = at('2026-01-06T00:00:00Z');
const plain = (conditions: readonly Condition[] = [], annotations: Record<string, string> = {}): Node => ({
  apiVersion: 'v1',
  kind: 'Node',
  metadata: { name: 'n1', annotations },
  spec: { providerID: 'aws:///z/i-1' },
  status: { conditions },
});
const announced = (node: Node): Node =>
  withScheduled(
    node,
    { says: 'scheduled', instance: 'i-1', id: 'arn', saidAt: NOW, isOver: false, startsAt: NOW + 5 * HOUR },
    NOW,
    HOUR,
  );
const windowIn = (hours: number): PlannedWindow => ({
  maintenance: 'r7',
  id: 'maintenance/r7/x',
  selector: {},
  startAt: NOW + hours * HOUR,
});
const planned = (message: string): Condition => ({
  type: 'MaintenancePlanned',
  status: 'True',
  reason: 'Maintenance',
  message,
  lastTransitionTime: '2026-01-06T00:00:00Z',
});
const BY_WINDOW = planned('NodeMaintenance r7: its window begins at 2026-01-06T01:00:00Z');
const BY_CLOUD = planned(
  'The cloud has announced maintenance of the machine for 2026-01-06T05:00:00Z: the node is drained from 2026-01-06T04:00:00Z on',
);
const GOING = { 'rollcall.dev/maintenance': JSON.stringify({ id: 'maintenance/r7/x', phase: 'InProgress' }) };
const IN_PROGRESS = {
  ...planned('NodeMaintenance r7 maintains the node'),
  type: 'MaintenanceInProgress',
};

describe('the conditions that tell of maintenance (V-70)', () => {
  it.each<[string, Node, readonly PlannedWindow[], readonly Condition[]]>([
    ['none', plain([BY_WINDOW, IN_PROGRESS]), [], []],
    ['that of a window', plain(), [windowIn(1)], [BY_WINDOW]],
    ['that of a cloud', announced(plain([BY_WINDOW])), [], [BY_CLOUD]],
    ['that of the first of both', announced(plain([BY_CLOUD])), [windowIn(1)], [BY_WINDOW]],
    ['that of the first of both, the cloud', announced(plain()), [windowIn(6)], [BY_CLOUD]],
    ['that of its maintenance', plain([BY_WINDOW], GOING), [windowIn(1)], [IN_PROGRESS]],
  ])('are %s', (_, node, windows, expected) => {
    expect(withMaintenanceConditions(node, windows, NOW).status?.conditions).toEqual(expected);
  });

  it.each<[string, Node, readonly Condition[]]>([
    ['announces', announced(plain()), [BY_CLOUD]],
    ['takes back what it has announced', plain([BY_CLOUD]), []],
    ['leaves what a window has announced', plain([BY_WINDOW]), [BY_WINDOW]],
    ['leaves it also if it announces, too', announced(plain([BY_WINDOW])), [BY_WINDOW]],
  ])('are told by a cloud, which %s', (_, node, expected) => {
    expect(withCloudAnnouncement(node, NOW).status?.conditions).toEqual(expected);
  });

  it('are no write if they are right', () => {
    const node = plain([BY_WINDOW]);
    expect(withMaintenanceConditions(node, [windowIn(1)], NOW + HOUR)).toBe(node);
    expect(withCloudAnnouncement(node, NOW)).toBe(node);
  });
});
