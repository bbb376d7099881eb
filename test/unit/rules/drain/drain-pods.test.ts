import { describe, expect, it } from 'vitest';
import type { Pod } from '../../../../shared/kube/types/core.ts';
import { type DrainStep, drainStep } from '../../../../shared/rules/drain/drain-pods.ts';
import { type DrainRequest, WHOLE_NODE } from '../../../../shared/rules/drain/drain-request.ts';
import { aPod, at } from '../../../support/objects/domain-objects.ts';

const T = at('2026-02-03T04:05:06Z');
const PLAIN: DrainRequest = { id: 'one', requestedAt: T, by: '', reason: '' };

const pod = (more: Partial<Pod['metadata']> = {}, spec: object = {}, phase = 'Running'): Pod => {
  const given = aPod({ nodeName: 'n1' });
  return {
    ...given,
    metadata: { ...given.metadata, ...more },
    spec: { ...given.spec, ...spec },
    status: { phase: phase as 'Running' },
  };
};
const owned = (kind: string): Partial<Pod['metadata']> => ({
  ownerReferences: [{ apiVersion: 'apps/v1', kind, name: 'o', uid: 'u', controller: true }],
});
const SET = owned('ReplicaSet');
const EMPTY_DIR = { volumes: [{ name: 'tmp', emptyDir: {} }] };
const GOING = { deletionTimestamp: '2026-02-03T04:06:06Z' };
const refuse = (...refusals: readonly ('daemonSet' | 'localStorage' | 'unmanaged')[]): DrainStep => ({
  step: 'refuse',
  refusals,
});

describe('what a drain does with a pod', () => {
  const rows: readonly [string, Pod, Partial<DrainRequest>, DrainStep['step'] | DrainStep][] = [
    ['one that a controller makes again is evicted (E-14)', pod(SET), {}, 'evict'],
    ['a bare one stays (E-14)', pod(), {}, refuse('unmanaged')],
    ['a bare one goes by force (E-14)', pod(), { force: true }, 'evict'],
    ['one with an emptyDir stays (E-14)', pod(SET, EMPTY_DIR), {}, refuse('localStorage')],
    ['one with an emptyDir goes (E-14)', pod(SET, EMPTY_DIR), { deleteEmptyDirData: true }, 'evict'],
    ['both reasons are told (E-14)', pod({}, EMPTY_DIR), {}, refuse('localStorage', 'unmanaged')],
    ['one that has failed goes all the same (E-14)', pod({}, EMPTY_DIR, 'Failed'), {}, 'evict'],
    ['one that has succeeded goes all the same (E-14)', pod({}, {}, 'Succeeded'), {}, 'evict'],
    ['one of a DaemonSet has to be allowed to stay (E-14)', pod(owned('DaemonSet')), {}, refuse('daemonSet')],
    ['one of a DaemonSet stays (E-14)', pod(owned('DaemonSet')), WHOLE_NODE, 'leave'],
    [
      'one of a DaemonSet stays, also while it terminates (E-14)',
      pod({ ...owned('DaemonSet'), ...GOING }),
      WHOLE_NODE,
      'leave',
    ],
    ['one of a DaemonSet that has failed goes (E-14)', pod(owned('DaemonSet'), {}, 'Failed'), {}, 'evict'],
    [
      'a mirror pod stays (E-14)',
      pod({ annotations: { 'kubernetes.io/config.mirror': 'hash' } }),
      WHOLE_NODE,
      'leave',
    ],
    ['one that terminates is waited for (E-14)', pod({ ...SET, ...GOING }), {}, 'wait'],
    ['one that is not selected stays (E-15)', pod(SET), { podSelectors: ['app=a'] }, 'leave'],
    [
      'one that is selected goes (E-15)',
      pod({ ...SET, labels: { app: 'a' } }),
      { podSelectors: ['app=a'] },
      'evict',
    ],
    [
      'one that one of two selectors selects goes (E-15)',
      pod({ ...SET, labels: { app: 'b' } }),
      { podSelectors: ['app=a', 'app in (b)'] },
      'evict',
    ],
    [
      'nothing goes if a selector cannot be parsed (E-15)',
      pod(SET),
      { podSelectors: ['app=web', 'a b c'] },
      'leave',
    ],
    ['before the instant budgets are asked (E-16)', pod(SET), { deleteAt: T + 1 }, 'evict'],
    ['from the instant on it is deleted (E-16)', pod(SET), { deleteAt: T }, 'delete'],
    ['what is refused stays refused (E-16)', pod(), { deleteAt: T }, refuse('unmanaged')],
  ];
  it.each(rows)('%s', (_, given, options, expected) => {
    const wanted = typeof expected === 'string' ? { step: expected } : expected;
    expect(drainStep(given, { ...PLAIN, ...options }, T)).toEqual(wanted);
  });
});
