import { describe, expect, it } from 'vitest';
import type { Pod } from '../../../../shared/kube/types/core.ts';
import { bindingFault, bindPod } from '../../../../shared/rules/pods/binding.ts';
import { withPodCondition } from '../../../../shared/rules/pods/pod-conditions.ts';

const NOW = Date.parse('2026-01-01T00:00:00Z');

const pod = (rest: Partial<Pod> = {}): Pod => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'p', generation: 1 },
  spec: {},
  status: { phase: 'Pending' },
  ...rest,
});

describe('bindingFault', () => {
  it.each<[string, Pod, string | undefined]>([
    ['none for a pod that waits (A-13)', pod(), undefined],
    [
      'a node that it has (A-13)',
      pod({ spec: { nodeName: 'n1' } }),
      'pod p is already assigned to node "n1"',
    ],
    [
      'a gate',
      pod({ spec: { schedulingGates: [{ name: 'g' }] } }),
      'pod p has non-empty .spec.schedulingGates',
    ],
    [
      'its deletion, before all else (A-13)',
      pod({ metadata: { name: 'p', deletionTimestamp: '2026-01-01T00:00:00Z' }, spec: { nodeName: 'n1' } }),
      'pod p is being deleted, cannot be assigned to a host',
    ],
  ])('%s', (_name, given, fault) => {
    expect(bindingFault(given)).toBe(fault);
  });
});

describe('bound', () => {
  it('sets the node, adds annotations and removes the nomination (A-13)', () => {
    const given = pod({
      metadata: { name: 'p', generation: 1, annotations: { a: '1', b: '1' } },
      status: { phase: 'Pending', nominatedNodeName: 'n9' },
    });
    expect(bindPod(given, { nodeName: 'n1', annotations: { b: '2' } }, NOW)).toEqual({
      ...given,
      metadata: { name: 'p', generation: 1, annotations: { a: '1', b: '2' } },
      spec: { nodeName: 'n1' },
      status: {
        phase: 'Pending',
        conditions: [
          {
            type: 'PodScheduled',
            status: 'True',
            lastProbeTime: null,
            lastTransitionTime: '2026-01-01T00:00:00Z',
          },
        ],
      },
    });
  });
});

describe('withPodCondition', () => {
  const wanted = { type: 'T', status: 'True', reason: 'R', message: 'm' } as const;
  const withCondition = (condition: object): Pod =>
    pod({
      status: {
        conditions: [
          { type: 'A', status: 'True' },
          { ...wanted, ...condition },
        ],
      },
    });

  it('returns the same pod if it has the condition', () => {
    const given = withCondition({});
    expect(withPodCondition(given, wanted, NOW)).toBe(given);
  });

  it.each([
    ['keeps the time if only the reason changes (A-14)', { reason: 'Old' }, '2020-01-01T00:00:00Z'],
    ['moves the time with the status (A-14)', { status: 'False' }, '2026-01-01T00:00:00Z'],
  ])('%s, in its place', (_name, before, lastTransitionTime) => {
    const given = withCondition({ lastTransitionTime: '2020-01-01T00:00:00Z', ...before });
    expect(withPodCondition(given, wanted, NOW).status?.conditions).toEqual([
      { type: 'A', status: 'True' },
      { ...wanted, lastProbeTime: null, lastTransitionTime },
    ]);
  });
});
