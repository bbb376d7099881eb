import { describe, expect, it } from 'vitest';
import type { Node, Taint } from '../../../../shared/kube/types/core.ts';
import { drainText } from '../../../../shared/rules/drain/drain-request.ts';
import { lateness, lookOf, MARKS, type Mark } from '../../../../shared/rules/roll-call/node-marks.ts';
import { NODE_LIFECYCLE_DEFAULTS as CONFIG } from '../../../../shared/settings/node-lifecycle.ts';
import { NOW } from '../../../support/objects/a-roll-call.ts';

const REQUEST = { id: 'one', requestedAt: NOW, by: 'alice', reason: '' };

interface Parts {
  readonly ready?: string;
  readonly conditions?: readonly { readonly type: string; readonly status: string }[];
  readonly taints?: readonly Taint[];
  readonly unschedulable?: boolean;
  readonly drain?: boolean;
}

const nodeWith = ({ ready = 'True', conditions = [], taints = [], unschedulable, drain }: Parts): Node => ({
  kind: 'Node',
  apiVersion: 'v1',
  metadata: {
    name: 'n1',
    ...(drain ? { annotations: { 'rollcall.dev/drain': drainText(REQUEST) } } : {}),
  },
  spec: { taints, ...(unschedulable ? { unschedulable } : {}) },
  status: {
    conditions: [...(ready === '' ? [] : [{ type: 'Ready', status: ready }]), ...conditions] as never,
  },
});

const UNREACHABLE = { key: 'node.kubernetes.io/unreachable', effect: 'NoExecute' } as const;
const SHUTTING_DOWN = [{ type: 'GracefulNodeShutdownInProgress', status: 'True' }];
const BY_OLD_NAME = [{ type: 'ShuttingDown', status: 'True' }];

describe('the marks of a node', () => {
  it.each<[string, Parts, number | undefined, readonly Mark[]]>([
    ['answers', {}, 3_000, ['ready']],
    ['no beat of which was seen', {}, undefined, ['ready']],
    ['is late (J-261)', {}, 15_001, ['late']],
    ['is not late yet (J-261)', {}, 15_000, ['ready']],
    ['is silent', { ready: 'Unknown' }, 60_000, ['Unknown']],
    [
      'is silent and tainted (J-263)',
      { ready: 'Unknown', taints: [UNREACHABLE] },
      60_000,
      ['Unknown', 'tainted'],
    ],
    [
      'is silent and waits for its taint (J-263)',
      { ready: 'Unknown', taints: [{ ...UNREACHABLE, effect: 'NoSchedule' }] },
      60_000,
      ['Unknown'],
    ],
    ['says that it is not ready', { ready: 'False' }, 1_000, ['NotReady']],
    ['has never reported', { ready: '' }, undefined, ['neverReported']],
    [
      'shuts down, and so is not ready (J-262)',
      { ready: 'False', conditions: SHUTTING_DOWN },
      1_000,
      ['shuttingDown', 'NotReady'],
    ],
    [
      'shuts down, and so is silent (J-262)',
      { ready: 'Unknown', conditions: BY_OLD_NAME },
      90_000,
      ['shuttingDown', 'Unknown'],
    ],
    [
      'is cordoned, with the taint of that (J-263)',
      { unschedulable: true, taints: [{ key: 'node.kubernetes.io/unschedulable', effect: 'NoSchedule' }] },
      1_000,
      ['cordoned'],
    ],
    [
      'has maintenance before it (V-70)',
      { conditions: [{ type: 'MaintenancePlanned', status: 'True' }] },
      1_000,
      ['planned'],
    ],
    [
      'is maintained (V-70)',
      {
        unschedulable: true,
        conditions: [
          { type: 'MaintenanceInProgress', status: 'True' },
          { type: 'MaintenancePlanned', status: 'True' },
        ],
      },
      1_000,
      ['maintained', 'cordoned'],
    ],
    ['is drained', { unschedulable: true, drain: true }, 1_000, ['draining', 'cordoned']],
    [
      'has been drained (J-264)',
      { unschedulable: true, drain: true, conditions: [{ type: 'Drained', status: 'True' }] },
      1_000,
      ['cordoned'],
    ],
    ['was drained before it was made schedulable (J-264)', { drain: true }, 1_000, ['ready']],
    ['is kept for some pods (J-263)', { taints: [{ key: 'gpu', effect: 'NoSchedule' }] }, 1_000, ['tainted']],
    [
      'is the last choice (J-263)',
      { taints: [{ key: 'gpu', effect: 'PreferNoSchedule' }] },
      1_000,
      ['ready'],
    ],
    [
      'is late, tainted and drained (J-260)',
      { unschedulable: true, drain: true, taints: [{ key: 'gpu', effect: 'NoExecute' }] },
      30_000,
      ['late', 'draining', 'tainted', 'cordoned'],
    ],
  ])('that %s', (_, parts, age, marks) => {
    expect(lookOf(nodeWith(parts), age === undefined ? undefined : NOW - age, NOW, CONFIG)).toEqual(marks);
  });

  it('are told by letters and words of their own (J-260)', () => {
    const looks = Object.values(MARKS);
    expect(new Set(looks.map(({ letter }) => letter)).size).toBe(looks.length);
    expect(new Set(looks.map(({ word }) => word)).size).toBe(looks.length);
    expect(looks.every(({ letter }) => letter.length === 1)).toBe(true);
  });
});

describe('lateness (J-261)', () => {
  it.each([
    [undefined, 0],
    [0, 0],
    [15_000, 0],
    [27_500, 0.5],
    [40_000, 1],
    [400_000, 1],
  ])('%s ms after the last beat is %d', (age, share) =>
    expect(lateness(age === undefined ? undefined : NOW - age, NOW, CONFIG)).toBe(share),
  );
});
