import { describe, expect, it } from 'vitest';
import { nextStart } from '../../../../lambdas/drain/nodes/next-start.ts';
import type { Node } from '../../../../shared/kube/types/core.ts';
import type { NodeMaintenance, NodeMaintenanceSpec } from '../../../../shared/kube/types/node-maintenance.ts';
import { windowAt } from '../../../../shared/rules/drain/maintenance-window.ts';
import {
  nextAnnouncementAt,
  type PlannedWindow,
  plannedWindows,
  windowAhead,
} from '../../../../shared/rules/drain/planned-windows.ts';
import { at } from '../../../support/objects/domain-objects.ts';

const HOUR = 3_600;
const weekly = (spec: NodeMaintenanceSpec = {}, more: object = {}): NodeMaintenance => ({
  apiVersion: 'rollcall.dev/v1',
  kind: 'NodeMaintenance',
  metadata: { name: 'r7', creationTimestamp: '2026-01-01T00:00:00Z', ...more },
  spec: { schedule: '0 2 * * 0', durationSeconds: 4 * HOUR, ...spec },
});
const text = (ms: number): string => new Date(ms).toISOString().replace(':00.000Z', 'Z');

describe('the windows that are announced (V-70)', () => {
  const FIRST = '2026-03-08T02:00Z';
  it.each<[string, NodeMaintenance, string, readonly string[]]>([
    ['none long before', weekly(), '2026-03-08T00:59:59Z', []],
    ['one, an hour before it begins', weekly(), '2026-03-08T01:00:00Z', [FIRST]],
    ['one while it is open', weekly(), '2026-03-08T05:59:59Z', [FIRST]],
    ['none when it is over', weekly(), '2026-03-08T06:00:00Z', []],
    [
      'one, as long before as is said',
      weekly({ plannedSeconds: 48 * HOUR }),
      '2026-03-06T02:00:00Z',
      [FIRST],
    ],
    ['none of one that is suspended', weekly({ suspend: true }), '2026-03-08T01:00:00Z', []],
    ['none if that is not wanted', weekly({ plannedSeconds: 0 }), '2026-03-08T02:00:00Z', []],
    ['none of one that goes', weekly({}, { deletionTimestamp: FIRST }), '2026-03-08T02:00:00Z', []],
    ['none that is missed', weekly({ startingDeadlineSeconds: 60 }), '2026-03-08T02:01:00Z', []],
    [
      'the open one and the next',
      weekly({ schedule: '0 * * * *', durationSeconds: 600 }),
      '2026-03-08T02:05:00Z',
      [FIRST, '2026-03-08T03:00Z'],
    ],
  ])('%s', (_, maintenance, now, expected) => {
    expect(plannedWindows(maintenance, at(now), nextStart).map(({ startAt }) => text(startAt))).toEqual(
      expected,
    );
  });

  it.each<[string, NodeMaintenance, string, string | undefined]>([
    ['an hour before the next one', weekly(), '2026-03-07T00:00:00Z', '2026-03-08T01:00Z'],
    ['never, if it is announced', weekly(), '2026-03-08T01:00:00Z', undefined],
    ['never, if that is not wanted', weekly({ plannedSeconds: 0 }), '2026-03-07T00:00:00Z', undefined],
  ])('and the next announcement comes %s', (_, maintenance, now, expected) => {
    const window = windowAt(maintenance, at(now), nextStart);
    const found = nextAnnouncementAt(maintenance, window, at(now));
    expect(found === undefined ? undefined : text(found)).toBe(expected);
  });
});

describe('the window that a node has before it (V-70)', () => {
  const window = (id: string, startAt: number, rack = 'r7'): PlannedWindow => ({
    maintenance: id,
    id,
    selector: { matchLabels: { rack } },
    startAt,
  });
  const node = (annotations = {}): Node => ({
    apiVersion: 'v1',
    kind: 'Node',
    metadata: { name: 'n1', labels: { rack: 'r7' }, annotations },
  });
  const record = { 'rollcall.dev/maintenance': JSON.stringify({ id: 'a', phase: 'InProgress' }) };
  it.each<[string, Node, readonly PlannedWindow[], string | undefined]>([
    ['none', node(), [], undefined],
    ['none of other nodes', node(), [window('a', 1, 'r8')], undefined],
    ['the first one', node(), [window('b', 2), window('a', 1)], 'a'],
    ['none in which it has begun', node(record), [window('a', 1)], undefined],
    ['the next one', node(record), [window('a', 1), window('b', 2)], 'b'],
  ])('%s', (_, given, windows, expected) => {
    expect(windowAhead(given, windows)?.id).toBe(expected);
  });
});
