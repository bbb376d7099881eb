import { describe, expect, it } from 'vitest';
import type { Node, Pod } from '../../../../shared/kube/types/core.ts';
import { isAsked, nodeMetrics, podMetrics } from '../../../../shared/rules/metrics/metric-objects.ts';
import { nodeUsageIn } from '../../../../shared/rules/metrics/node-usage.ts';

const used = (cpu: number, memory: number) => ({
  cpu: { usageNanoCores: cpu, windowMs: 15_000 },
  memory: { workingSetBytes: memory },
});

const podOf = (containers: readonly object[], uid = 'u1') => ({
  podRef: { namespace: 'default', name: 'web', uid },
  containers,
});

const summary = (pods: readonly unknown[] = [], node: unknown = used(250_000_000, 2 ** 30)) => ({
  node,
  pods,
});

const AT = Date.parse('2026-03-01T12:00:00Z');

const read = (value: unknown) => {
  const usage = nodeUsageIn(value);
  if (!usage) throw new Error('it is no Summary');
  return usage;
};

const toldBy = (pods: readonly unknown[], node?: unknown) => ({ usage: read(summary(pods, node)), at: AT });

describe('J-190: what a node tells', () => {
  it('has its own usage, and that of each container', () => {
    const usage = read(summary([podOf([{ name: 'app', ...used(1, 2) }])]));
    expect(usage.node).toEqual({ cpuNanoCores: 250_000_000, memoryBytes: 2 ** 30, windowMs: 15_000 });
    expect([...usage.pods]).toEqual([
      [
        'default/web',
        { uid: 'u1', containers: [{ name: 'app', cpuNanoCores: 1, memoryBytes: 2, windowMs: 15_000 }] },
      ],
    ]);
  });

  it('by a kubelet, is of the last ten seconds', () => {
    const node = { cpu: { usageNanoCores: 5 }, memory: { workingSetBytes: 6 } };
    expect(read(summary([], node)).node?.windowMs).toBe(10_000);
  });

  it.each([
    ['nothing', undefined],
    ['a list', []],
    ['a Status', { kind: 'Status', code: 500 }],
    ['a Summary without a node', { pods: [] }],
  ])('%s is no Summary', (_, value) => expect(nodeUsageIn(value)).toBeUndefined());

  it.each([
    ['negative', -1],
    ['a fraction', 0.5],
    ['a text', '5'],
    ['not finite', Infinity],
    ['absent', undefined],
  ])('an amount that is %s is none', (_, amount) => {
    const node = { cpu: { usageNanoCores: amount }, memory: { workingSetBytes: 1 } };
    expect(read(summary([], node))).toEqual({ pods: new Map() });
  });

  it.each([
    ['has no container', podOf([])],
    ['has one that has not been measured twice', podOf([{ name: 'a', ...used(1, 1) }, { name: 'b' }])],
    ['has one without a name', podOf([used(1, 1)])],
    ['has no uid', podOf([{ name: 'a', ...used(1, 1) }], '')],
    ['is no object', 7],
    ['has a list that is none', { ...podOf([]), containers: 'all' }],
  ])('a pod is left out that %s', (_, pod) => expect(read(summary([pod])).pods.size).toBe(0));
});

const NODE = { metadata: { name: 'n1', uid: 'x', labels: { rack: '7' } } } as unknown as Node;

const aPod = (changed: object = {}, phase = 'Running'): Pod =>
  ({
    metadata: { namespace: 'default', name: 'web', uid: 'u1', ...changed },
    spec: { nodeName: 'n1' },
    status: { phase },
  }) as unknown as Pod;

const APP = podOf([
  { name: 'app', ...used(1_500_000, 100 * 2 ** 20) },
  { name: 'side', ...used(0, 1) },
]);

describe('J-191: objects of metrics.k8s.io', () => {
  it('have the amounts as quantities, and the labels of the node', () => {
    expect(nodeMetrics(NODE, toldBy([]))).toEqual({
      kind: 'NodeMetrics',
      apiVersion: 'metrics.k8s.io/v1beta1',
      metadata: { name: 'n1', creationTimestamp: '2026-03-01T12:00:00Z', labels: { rack: '7' } },
      timestamp: '2026-03-01T12:00:00Z',
      window: '15s',
      usage: { cpu: '250m', memory: '1Gi' },
    });
  });

  it('have each container of a pod', () => {
    expect(podMetrics(aPod(), toldBy([APP]))).toMatchObject({
      kind: 'PodMetrics',
      metadata: { namespace: 'default', name: 'web' },
      window: '15s',
      containers: [
        { name: 'app', usage: { cpu: '1500u', memory: '100Mi' } },
        { name: 'side', usage: { cpu: '0', memory: '1' } },
      ],
    });
  });

  it.each([
    ['of a node that has told nothing about itself', nodeMetrics(NODE, toldBy([], {}))],
    ['of a pod that does not run', podMetrics(aPod({}, 'Succeeded'), toldBy([APP]))],
    ['of a pod that the node does not have', podMetrics(aPod({ name: 'other' }), toldBy([APP]))],
    ['of an earlier pod of the name', podMetrics(aPod({ uid: 'u2' }), toldBy([APP]))],
  ])('are absent %s', (_, metrics) => expect(metrics).toBeUndefined());

  it("exist for a static pod, whose copy in the API has another uid than the node's", () => {
    const mirror = aPod({ uid: 'u2', annotations: { 'kubernetes.io/config.mirror': 'hash' } });
    expect(podMetrics(mirror, toldBy([APP]))?.kind).toBe('PodMetrics');
  });
});

it.each([
  ['True', true],
  ['False', false],
  ['Unknown', false],
])('J-192: a node whose Ready is %s is asked: %s', (status, expected) => {
  expect(isAsked({ ...NODE, status: { conditions: [{ type: 'Ready', status }] } } as Node)).toBe(expected);
  expect(isAsked(NODE)).toBe(false);
});
