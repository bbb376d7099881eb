import { describe, expect, it } from 'vitest';
import type { Pod } from '../../../../../shared/kube/types/core.ts';
import {
  nodeInfo,
  takesRoom,
  withoutPods,
  withPod,
} from '../../../../../shared/rules/scheduling/cluster/cluster.ts';
import { awaitsScheduler } from '../../../../../shared/rules/scheduling/pending.ts';
import { podRequests, scoreRequests } from '../../../../../shared/rules/scheduling/pods/pod-requests.ts';
import { resourcesOf } from '../../../../../shared/rules/scheduling/pods/resources.ts';
import { nodeOf, podOf } from '../../../../support/scheduling/recorded-cases.ts';

const MIB = 1024 * 1024;

const container = (name: string, requests: object, more: object = {}) => ({
  name,
  image: 'img',
  resources: { requests },
  ...more,
});

const sidecar = (name: string, requests: object) => container(name, requests, { restartPolicy: 'Always' });

const podWith = (spec: object, status?: Record<string, unknown>): Pod =>
  podOf({ name: 'p', spec: spec as Record<string, unknown>, ...(status ? { status } : {}) });

const asked = (spec: object, status?: Record<string, unknown>) =>
  Object.fromEntries(podRequests(podWith(spec, status)));

describe('podRequests', () => {
  const main = container('main', { cpu: '100m', memory: '1Mi' });
  const cases: readonly (readonly [string, object, object])[] = [
    [
      'adds up containers (N-01)',
      { containers: [main, container('b', { cpu: '50m' })] },
      { cpu: 150, memory: MIB },
    ],
    [
      'takes the larger of the sum and an init container, for each resource (N-01)',
      { containers: [main], initContainers: [container('i', { cpu: '1', memory: '1Ki' })] },
      { cpu: 1000, memory: MIB },
    ],
    [
      'adds a sidecar to the containers (N-01)',
      { containers: [main], initContainers: [sidecar('s', { cpu: '30m' })] },
      { cpu: 130, memory: MIB },
    ],
    [
      'adds the sidecars before an init container to it (N-01)',
      {
        containers: [main],
        initContainers: [sidecar('s', { cpu: '300m' }), container('i', { cpu: '701m' })],
      },
      { cpu: 1001, memory: MIB },
    ],
    [
      'does not add the sidecars after an init container to it (N-01)',
      {
        containers: [main],
        initContainers: [container('i', { cpu: '701m' }), sidecar('s', { cpu: '300m' })],
      },
      { cpu: 701, memory: MIB },
    ],
    [
      'adds the overhead (N-01)',
      { containers: [main], overhead: { cpu: '10m', memory: '1Mi' } },
      { cpu: 110, memory: 2 * MIB },
    ],
    [
      'replaces the sum by the requests of the pod as a whole, not those of other resources (N-02)',
      {
        containers: [container('main', { cpu: '2', 'example.com/gpu': '1' })],
        resources: { requests: { cpu: '500m', 'hugepages-2Mi': '4Mi', 'example.com/gpu': '7' } },
        overhead: { cpu: '1m' },
      },
      { cpu: 501, 'example.com/gpu': 1, 'hugepages-2Mi': 4 * MIB },
    ],
  ];

  it.each(cases)('%s', (_name, spec, amounts) => {
    expect(asked(spec)).toEqual(amounts);
  });

  const spec = { containers: [container('main', { cpu: '2' })] };
  const status = (allocated: string, inUse: string, reason?: string) => ({
    containerStatuses: [
      { name: 'main', allocatedResources: { cpu: allocated }, resources: { requests: { cpu: inUse } } },
    ],
    conditions: reason ? [{ type: 'PodResizePending', status: 'True', reason }] : [],
  });

  it.each([
    ['what is wanted', '1', '1', undefined, 2000],
    ['what is promised', '3', '1', undefined, 3000],
    ['what is in use', '1', '4', undefined, 4000],
    ['what is wanted, also while the node defers it', '1', '1', 'Deferred', 2000],
    ['what is in use, when the node can never give what is wanted', '1', '1500m', 'Infeasible', 1500],
  ])('counts %s in a resize (N-03)', (_name, allocated, inUse, reason, cpu) => {
    expect(asked(spec, status(allocated, inUse, reason))).toEqual({ cpu });
  });
});

describe('scoreRequests (N-04)', () => {
  it.each([
    ['nothing asked', { containers: [container('a', {}), container('b', {})] }, 200, 400],
    ['a request of zero', { containers: [container('a', { cpu: '0', memory: '0' })] }, 0, 0],
    ['one of two', { containers: [container('a', { cpu: '1' })] }, 1000, 200],
    [
      'the pod as a whole asks for cpu',
      { containers: [container('a', {})], resources: { requests: { cpu: '1' } } },
      1000,
      200,
    ],
    [
      'a container asks within such a pod',
      { containers: [container('a', { memory: '1Mi' })], resources: { requests: { cpu: '1' } } },
      1000,
      1,
    ],
  ])('%s', (_name, spec, cpu, mebibytes) => {
    const amounts = scoreRequests(podWith(spec));
    expect([amounts.get('cpu'), amounts.get('memory')]).toEqual([cpu, mebibytes * MIB]);
  });
});

describe('resourcesOf (N-05)', () => {
  it.each([
    ['cpu', '100m', 100],
    ['cpu', '0.0001', 1],
    ['cpu', '1n', 1],
    ['cpu', '2', 2000],
    ['memory', '1Ki', 1024],
    ['memory', '1500m', 2],
    ['memory', '1e3', 1000],
    ['example.com/gpu', '3', 3],
    ['memory', '-1500m', -1],
    ['memory', 'none', 0],
  ])('%s %s', (name, text, amount) => {
    expect(resourcesOf({ [name]: text }).get(name)).toBe(amount);
  });
});

describe('a node', () => {
  const bound = podOf({ name: 'a', on: 'n1', req: { cpu: '1' }, ports: [{ hostPort: 80 }] });
  const more = podOf({ name: 'b', on: 'n1', req: { memory: '1Mi' } });
  const node = nodeOf({ name: 'n1', alloc: { cpu: '2' } });
  const sums = ({ pods, requested, scoreRequested, hostPorts }: ReturnType<typeof nodeInfo>) => ({
    pods,
    hostPorts,
    requested: [...requested].filter(([, amount]) => amount !== 0),
    scoreRequested: Object.fromEntries(scoreRequested),
  });

  it('has the same sums whether its pods came together or one after the other (N-07)', () => {
    expect(sums(withPod(withPod(nodeInfo(node, []), bound), more))).toEqual(
      sums(nodeInfo(node, [bound, more])),
    );
  });

  it('has the sums of the others when a pod has gone (N-07)', () => {
    expect(sums(withoutPods(nodeInfo(node, [bound, more]), [bound]))).toEqual(sums(nodeInfo(node, [more])));
  });

  it('stays the same object when a pod goes that it does not have (N-07)', () => {
    const info = nodeInfo(node, [bound]);
    expect(withoutPods(info, [more])).toBe(info);
  });

  it.each([
    ['Succeeded', false],
    ['Failed', false],
    ['Running', true],
    ['Pending', true],
  ])('counts a pod that is %s: %s (N-06)', (phase, isCounted) => {
    const pod = podOf({ name: 'a', status: { phase } });
    expect(takesRoom(pod)).toBe(isCounted);
    expect(nodeInfo(node, [pod]).pods).toHaveLength(Number(isCounted));
    expect(withPod(nodeInfo(node, []), pod).pods).toHaveLength(Number(isCounted));
  });

  it('counts a pod that is being deleted (N-06)', () => {
    const pod = { ...bound, metadata: { ...bound.metadata, deletionTimestamp: '2026-01-01T00:00:00Z' } };
    expect(nodeInfo(node, [pod]).requested.get('cpu')).toBe(1000);
  });
});

describe('awaitsScheduler (N-09)', () => {
  const waiting = podOf({ name: 'p' });
  it.each([
    ['a new pod', waiting, true],
    [
      'a pod without a schedulerName',
      { ...waiting, spec: { ...waiting.spec, schedulerName: undefined } },
      true,
    ],
    ['a pod with a node', podOf({ name: 'p', on: 'n1' }), false],
    ['a pod of another scheduler', podOf({ name: 'p', spec: { schedulerName: 'other' } }), false],
    ['a pod with a gate', podOf({ name: 'p', spec: { schedulingGates: [{ name: 'a' }] } }), false],
    ['a pod without gates any more', podOf({ name: 'p', spec: { schedulingGates: [] } }), true],
    ['a pod that has ended', podOf({ name: 'p', status: { phase: 'Failed' } }), false],
    [
      'a pod that is being deleted',
      { ...waiting, metadata: { ...waiting.metadata, deletionTimestamp: '2026-01-01T00:00:00Z' } },
      false,
    ],
  ])('%s', (_name, pod, isWaiting) => {
    expect(awaitsScheduler(pod)).toBe(isWaiting);
  });
});
