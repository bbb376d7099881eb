import { describe, expect, test } from 'vitest';
import type { Pod } from '../../../../shared/kube/types/core.ts';
import { isReadyToGo, podGraceSeconds, withDeletion } from '../../../../shared/rules/pods/deletion.ts';

const NOW = Date.parse('2026-01-01T00:00:00Z');
const source = 'kubernetes v1.34 registry/core/pod `CheckGracefulDelete`';

const pod = (spec: Pod['spec'], rest: Partial<Pod> = {}): Pod => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'p', namespace: 'default', generation: 3 },
  spec,
  ...rest,
});
const bound = (seconds?: number): Pod =>
  pod({ nodeName: 'n1', ...(seconds === undefined ? {} : { terminationGracePeriodSeconds: seconds }) });

describe('podGraceSeconds', () => {
  test.each<{ name: string; source: string; pod: Pod; requested?: number; seconds: number }>([
    { name: "is the pod's own", source, pod: bound(30), seconds: 30 },
    { name: 'is what was asked for (A-07)', source, pod: bound(30), requested: 5, seconds: 5 },
    { name: 'is 1 where it is negative (A-07)', source, pod: bound(-1), seconds: 1 },
    { name: 'is none where it is not set', source, pod: bound(), seconds: 0 },
    {
      name: 'is none for a pod on no node (A-07)',
      source,
      pod: pod({ terminationGracePeriodSeconds: 30 }),
      seconds: 0,
    },
    {
      name: 'is none for a pod that has ended',
      source,
      pod: { ...bound(30), status: { phase: 'Succeeded' } },
      seconds: 0,
    },
  ])('$name', ({ pod: given, requested, seconds }) => {
    expect(podGraceSeconds(given, requested)).toBe(seconds);
  });
});

describe('withDeletion', () => {
  test('sets the end of the grace period and increases the generation (A-08)', () => {
    expect(withDeletion(bound(30), 30, NOW).metadata).toMatchObject({
      deletionTimestamp: '2026-01-01T00:00:30Z',
      deletionGracePeriodSeconds: 30,
      generation: 4,
    });
  });

  test('can only shorten a deletion that has begun, from its own start, and keeps the generation (A-08)', () => {
    const first = withDeletion(bound(30), 30, NOW);
    expect(withDeletion(first, 10, NOW + 5_000).metadata).toMatchObject({
      deletionTimestamp: '2026-01-01T00:00:10Z',
      deletionGracePeriodSeconds: 10,
      generation: 4,
    });
    expect(withDeletion(first, 60, NOW + 5_000)).toBe(first);
  });
});

describe('isReadyToGo', () => {
  test.each([
    { name: 'with neither grace nor finalizer', grace: 0, finalizers: [], ready: true },
    { name: 'while grace runs', grace: 1, finalizers: [], ready: false },
    { name: 'while a finalizer holds it (A-09)', grace: 0, finalizers: ['example.com/a'], ready: false },
  ])('$name: $ready', ({ grace, finalizers, ready }) => {
    const metadata = { name: 'p', deletionGracePeriodSeconds: grace, finalizers };
    expect(isReadyToGo({ apiVersion: 'v1', kind: 'Pod', metadata })).toBe(ready);
  });
});
