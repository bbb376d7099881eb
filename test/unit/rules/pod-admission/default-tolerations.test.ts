import { describe, expect, test } from 'vitest';
import type { Toleration } from '../../../../shared/kube/types/core.ts';
import {
  TAINT_NOT_READY as NOT_READY,
  TAINT_UNREACHABLE as UNREACHABLE,
} from '../../../../shared/kube/types/well-known.ts';
import { addDefaultTolerations } from '../../../../shared/rules/pod-admission/default-tolerations.ts';
import { aPod } from '../../../support/objects/domain-objects.ts';

const on = (key: string, tolerationSeconds: number): Toleration => ({
  key,
  operator: 'Exists',
  effect: 'NoExecute',
  tolerationSeconds,
});

const foo: Toleration = {
  key: 'foo',
  operator: 'Equal',
  value: 'bar',
  effect: 'NoSchedule',
  tolerationSeconds: 700,
};
const withoutEffect: Toleration = { key: UNREACHABLE, operator: 'Exists', tolerationSeconds: 700 };
const wildcard: Toleration = { operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 700 };

describe('addDefaultTolerations', () => {
  const source = 'kubernetes v1.34 `TestForgivenessAdmission`';
  test.each<{ name: string; source: string; own?: readonly Toleration[]; added: readonly Toleration[] }>([
    {
      name: 'adds both to a pod without any (A-01)',
      source,
      added: [on(NOT_READY, 300), on(UNREACHABLE, 300)],
    },
    { name: 'adds both after others', source, own: [foo], added: [on(NOT_READY, 300), on(UNREACHABLE, 300)] },
    {
      name: 'keeps a not-ready of its own',
      source,
      own: [on(NOT_READY, 700)],
      added: [on(UNREACHABLE, 300)],
    },
    {
      name: 'keeps an unreachable of its own',
      source,
      own: [on(UNREACHABLE, 700)],
      added: [on(NOT_READY, 300)],
    },
    {
      name: 'changes nothing where both are there',
      source,
      own: [on(NOT_READY, 700), on(UNREACHABLE, 700)],
      added: [],
    },
    {
      name: 'takes a toleration without effect for one',
      source,
      own: [withoutEffect],
      added: [on(NOT_READY, 300)],
    },
    { name: 'takes a toleration of everything for both (A-01)', source, own: [wildcard], added: [] },
  ])('$name', ({ own, added }) => {
    const pod = aPod(own === undefined ? {} : { tolerations: own });
    const after = addDefaultTolerations(pod, { notReady: 300, unreachable: 300 });
    if (added.length === 0) expect(after).toBe(pod);
    else expect(after.spec.tolerations).toEqual([...(own ?? []), ...added]);
  });

  test('uses other seconds if they are given', () => {
    const seconds = { notReady: 60, unreachable: 30 };
    expect(addDefaultTolerations(aPod(), seconds).spec.tolerations).toEqual([
      on(NOT_READY, 60),
      on(UNREACHABLE, 30),
    ]);
  });
});
