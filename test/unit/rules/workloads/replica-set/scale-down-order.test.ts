import { describe, expect, it } from 'vitest';
import {
  availableAt,
  isAvailable,
  nextAvailableAt,
} from '../../../../../shared/rules/workloads/children/pod-state.ts';
import { inScaleDownOrder } from '../../../../../shared/rules/workloads/replica-set/scale-down-order.ts';
import type { OwnedPodParts } from '../../../../support/objects/workload-objects.ts';
import { anOwnedPod } from '../../../../support/objects/workload-objects.ts';

const NOW = 1_700_000_000_000;
const HOUR = 3_600_000;
const COST = 'controller.kubernetes.io/pod-deletion-cost';
const cost = (value: string) => ({ annotations: { [COST]: value } });
const running = { nodeName: 'n1', createdAt: NOW - HOUR, readySince: NOW - HOUR };

const orderOf = (...pods: readonly OwnedPodParts[]): readonly string[] => {
  const all = pods.map(anOwnedPod);
  return inScaleDownOrder(all, all, NOW).map(({ metadata }) => metadata.name);
};

describe('inScaleDownOrder', () => {
  const rows: readonly [string, Omit<OwnedPodParts, 'name'>, Omit<OwnedPodParts, 'name'>][] = [
    ['no node before a node', { readySince: NOW }, { ...running, phase: 'Pending' }],
    ['Pending before Unknown', { ...running, phase: 'Pending' }, { ...running, phase: 'Unknown' }],
    ['Unknown before Running', { ...running, phase: 'Unknown' }, running],
    ['not ready before ready', { nodeName: 'n1', ...cost('9') }, { ...running, ...cost('0') }],
    ['the lower cost', { ...running, ...cost('-2') }, { ...running, ...cost('-1') }],
    ['an invalid cost counts 0', { ...running, ...cost('+5') }, { ...running, ...cost('1') }],
    ['a cost beyond 32 bits counts 0', { ...running, ...cost('9999999999') }, { ...running, ...cost('1') }],
    ['ready for a shorter time', { ...running, readySince: NOW - 1000 }, running],
    ['more restarts', { ...running, restarts: 3 }, { ...running, restarts: 2 }],
    ['created later', { ...running, createdAt: NOW - 1000 }, running],
  ];
  it.each(rows)('%s comes first (W-47)', (_what, first, second) => {
    expect(orderOf({ name: 'b', ...second }, { name: 'a', ...first })).toEqual(['a', 'b']);
    expect(orderOf({ name: 'a', ...first }, { name: 'b', ...second })).toEqual(['a', 'b']);
    // Not by uid either.
    expect(orderOf({ name: 'a', ...second }, { name: 'b', ...first })).toEqual(['b', 'a']);
  });

  it('on a node with more pods comes first (W-47)', () => {
    expect(
      orderOf(
        { name: 'a', ...running },
        { name: 'b', ...running, nodeName: 'n2' },
        { name: 'c', ...running, nodeName: 'n2' },
      ),
    ).toEqual(['b', 'c', 'a']);
  });

  it('ages of one power of two are alike, and decided by uid (W-47)', () => {
    const older = { ...running, readySince: NOW - 1.2 * HOUR };
    expect(orderOf({ name: 'b', ...running }, { name: 'a', ...older })).toEqual(['a', 'b']);
  });

  it('more restarts of a sidecar come first (W-47)', () => {
    const withSidecar = (name: string, restartCount: number) => {
      const pod = anOwnedPod({ name, ...running });
      return {
        ...pod,
        spec: { ...pod.spec, initContainers: [{ name: 's', restartPolicy: 'Always' }, { name: 'i' }] },
        status: {
          ...pod.status,
          initContainerStatuses: [
            { name: 's', restartCount },
            { name: 'i', restartCount: 9 - restartCount },
          ],
        },
      };
    };
    const all = [withSidecar('a', 1), withSidecar('b', 2)];
    expect(inScaleDownOrder(all, all, NOW).map(({ metadata }) => metadata.name)).toEqual(['b', 'a']);
  });
});

describe('availability', () => {
  const ready = anOwnedPod({ name: 'a', ...running, readySince: NOW });

  it.each([
    [0, NOW, true],
    [10, NOW + 9_999, false],
    [10, NOW + 10_000, true],
  ])('a pod that is ready for %i seconds at %i is available: %s (W-46)', (seconds, now, isIt) => {
    expect(isAvailable(ready, seconds, now)).toBe(isIt);
  });

  it('a pod that is not ready, or ready since nobody knows when, is not available (W-46)', () => {
    expect(availableAt(anOwnedPod({ name: 'a', nodeName: 'n1' }), 0)).toBeUndefined();
    const undated = { ...ready, status: { conditions: [{ type: 'Ready', status: 'True' as const }] } };
    expect([availableAt(undated, 1), isAvailable(undated, 0, NOW)]).toEqual([undefined, true]);
  });

  it('the next pod to become available is the one that was ready first (W-46)', () => {
    const later = anOwnedPod({ name: 'b', ...running, readySince: NOW + 5_000 });
    expect(nextAvailableAt([later, ready], 10, NOW)).toBe(NOW + 10_000);
    expect(nextAvailableAt([later, ready], 10, NOW + 10_000)).toBe(NOW + 15_000);
    expect(nextAvailableAt([later, ready], 10, NOW + 15_000)).toBeUndefined();
  });
});
