import { describe, expect, it } from 'vitest';
import type { Node, Pod } from '../../../../../shared/kube/types/core.ts';
import {
  type CapacityClaim,
  claimOf,
  claimStep,
  LARGEST_REQUEST,
  releasedClaim,
  repairedClaim,
  resizedClaim,
} from '../../../../../shared/rules/scheduling/cluster/capacity-claim.ts';
import {
  bindCondition,
  capacityDigest,
  changeOfClaims,
  sumOfClaims,
} from '../../../../../shared/rules/scheduling/node-counters.ts';
import { aNode } from '../../../../support/objects/domain-objects.ts';
import { placedPod } from '../../../../support/scheduling/scheduling-objects.ts';

const NOW = 1_800_000_000_000;

interface PodParts {
  readonly requests?: Readonly<Record<string, string>>;
  readonly ports?: readonly object[];
  readonly phase?: string;
  readonly nodeName?: string;
  readonly spec?: object;
  readonly status?: object;
}

const aPod = ({ requests = {}, ports = [], phase = 'Running', ...more }: PodParts = {}): Pod => {
  const pod = placedPod({
    spec: {
      nodeName: more.nodeName ?? 'n1',
      containers: [{ name: 'main', resources: { requests }, ports }],
      ...more.spec,
    },
    status: { phase, ...more.status },
  });
  return { ...pod, metadata: { ...pod.metadata, uid: 'u1' } };
};

const nodeWith = (allocatable: Readonly<Record<string, string>>): Node => ({
  ...aNode({ name: 'n1' }),
  status: { allocatable },
});

const claimed = (parts?: PodParts): CapacityClaim => claimOf(aPod(parts), NOW);

const object = (counters: ReadonlyMap<string, unknown>): object => Object.fromEntries(counters);

describe('claimOf', () => {
  it('has the requests and host ports of the pod (O-01)', () => {
    const claim = claimed({ requests: { cpu: '250m', memory: '1Mi' }, ports: [{ hostPort: 80 }] });
    expect(claim).toEqual({
      uid: 'u1',
      namespace: 'default',
      name: 'p',
      claimedAt: NOW,
      requests: new Map([
        ['cpu', 250],
        ['memory', 2 ** 20],
      ]),
      ports: [{ ip: '0.0.0.0', protocol: 'TCP', port: 80 }],
      ended: false,
    });
  });

  it.each([
    ['an amount of 0', { cpu: '0' }, {}],
    ['an amount that is too large to be added up exactly', { memory: '8Ei' }, { memory: LARGEST_REQUEST }],
    ['an extended resource', { 'example.com/gpu': '2' }, { 'example.com/gpu': 2 }],
  ])('of %s (O-01)', (_, requests, kept) => {
    expect(object(claimed({ requests }).requests)).toEqual(kept);
  });

  it.each([
    ['Pending', false],
    ['Running', false],
    ['Unknown', false],
    ['Succeeded', true],
    ['Failed', true],
  ])('of a pod in phase %s has ended: %s (O-02)', (phase, ended) => {
    expect(claimed({ phase }).ended).toBe(ended);
  });

  it('counts a port once that two containers name (O-03)', () => {
    const port = { hostPort: 80 };
    expect(claimed({ ports: [port, { ...port, hostIP: '0.0.0.0' }] }).ports).toHaveLength(1);
  });
});

describe('a claim of very many', () => {
  const many = (count: number, one: (n: number) => [string, string]) =>
    Object.fromEntries(Array.from({ length: count }, (_, n) => one(n)));

  it('host ports counts 64 (O-10)', () => {
    const ports = Array.from({ length: 100 }, (_, n) => ({ hostPort: 1000 + n }));
    expect(claimed({ ports }).ports).toHaveLength(64);
  });

  it('resources counts 64 (O-10)', () => {
    expect(claimed({ requests: many(100, (n) => [`example.com/r${n}`, '1']) }).requests.size).toBe(64);
  });

  it.each([
    [63, true],
    [64, false],
  ])('resources has a condition for %i of them: %s (O-10)', (count, isThere) => {
    const requests = many(count, (n) => [`example.com/r${n}`, '1']);
    const condition = bindCondition(nodeWith({ ...requests, pods: '10' }), claimed({ requests }));
    expect(condition !== undefined).toBe(isThere);
  });
});

describe('the counters of a node', () => {
  it('are the sums of its claims (O-02, O-03)', () => {
    const claims = [
      claimed({ requests: { cpu: '1', memory: '1Ki' } }),
      claimed({ requests: { cpu: '500m' }, ports: [{ hostPort: 80 }, { hostPort: 80, hostIP: '10.0.0.1' }] }),
      claimed({ requests: { cpu: '7' }, phase: 'Failed', ports: [{ hostPort: 81 }] }),
    ];
    expect(object(sumOfClaims(claims))).toEqual({
      pods: 2,
      'r/cpu': 1500,
      'r/memory': 1024,
      'p/TCP/80': 2,
      'p/TCP/80/0.0.0.0': 1,
      'p/TCP/80/10.0.0.1': 1,
    });
  });

  const small = claimed({
    requests: { cpu: '1', memory: '1Ki' },
    ports: [{ hostPort: 53, protocol: 'UDP' }],
  });
  it.each([
    [
      'comes',
      undefined,
      small,
      { pods: 1, 'r/cpu': 1000, 'r/memory': 1024, 'p/UDP/53': 1, 'p/UDP/53/0.0.0.0': 1 },
    ],
    ['goes', claimed({ requests: { cpu: '1' } }), undefined, { pods: -1, 'r/cpu': -1000 }],
    ['ends', claimed(), { ...claimed(), ended: true }, { pods: -1 }],
    ['goes after it has ended', { ...small, ended: true }, undefined, {}],
    ['comes for a pod that has ended', undefined, claimed({ phase: 'Failed' }), {}],
    [
      'asks for more of one and less of another',
      claimed({ requests: { cpu: '1', memory: '1Ki' } }),
      claimed({ requests: { cpu: '3', 'example.com/gpu': '1' } }),
      { 'r/cpu': 2000, 'r/memory': -1024, 'r/example.com/gpu': 1 },
    ],
    ['stays', small, small, {}],
  ] as const)('change by the difference when a claim %s (O-04)', (_, read, next, change) => {
    expect(object(changeOfClaims([{ read, next }]))).toEqual(change);
  });
});

describe('capacityDigest', () => {
  const node = nodeWith({ cpu: '4', memory: '8Gi', pods: '110' });
  const digest = capacityDigest(node);

  it.each([
    ['another uid', { ...node, metadata: { ...node.metadata, uid: 'other' } }],
    ['a deletion', { ...node, metadata: { ...node.metadata, deletionTimestamp: '2026-01-01T00:00:00Z' } }],
    ['less of a resource', nodeWith({ cpu: '3', memory: '8Gi', pods: '110' })],
    ['a new resource', nodeWith({ cpu: '4', memory: '8Gi', pods: '110', 'example.com/gpu': '1' })],
    ['no status', { ...node, status: {} }],
  ])('changes with %s (O-05)', (_, other) => {
    expect(capacityDigest(other)).not.toBe(digest);
  });

  it.each([
    ['the order of resources', nodeWith({ pods: '110', memory: '8Gi', cpu: '4' })],
    ['another way to write an amount', nodeWith({ cpu: '4000m', memory: '8192Mi', pods: '110' })],
    [
      'capacity and conditions',
      { ...node, status: { ...node.status, capacity: { cpu: '9' }, conditions: [] } },
    ],
    ['labels and taints', { ...node, metadata: { ...node.metadata, labels: { a: 'b' } }, spec: {} }],
  ])('does not change with %s (O-05)', (_, other) => {
    expect(capacityDigest(other)).toBe(digest);
  });
});

describe('bindCondition', () => {
  const node = nodeWith({ cpu: '4', memory: '8Ki', pods: '2', 'example.com/gpu': '1' });

  it('allows as much as leaves room for the claim (O-06)', () => {
    const condition = bindCondition(node, claimed({ requests: { cpu: '1500m', 'example.com/gpu': '1' } }));
    expect(condition?.digest).toBe(capacityDigest(node));
    expect(object(condition?.atMost ?? new Map())).toEqual({
      pods: 1,
      'r/cpu': 2500,
      'r/example.com/gpu': 0,
    });
  });

  it.each([
    ['more than the node has', { cpu: '4001m' }],
    ['a resource that the node does not have', { 'example.com/fpga': '1' }],
    ['more than can be added up exactly', { memory: '64Ti' }],
  ])('is not there for %s (O-06)', (_, requests) => {
    const roomy = nodeWith({ cpu: '4', memory: '8Ei', pods: '2' });
    expect(bindCondition(roomy, claimed({ requests }))).toBeUndefined();
  });

  it.each([
    ['no pods', { cpu: '4', pods: '0' }],
    ['nothing', {}],
  ])('is not there on a node that allows %s (O-06)', (_, allocatable) => {
    expect(bindCondition(nodeWith(allocatable), claimed())).toBeUndefined();
  });

  const web = (hostIP?: string, protocol?: string) => ({
    hostPort: 80,
    ...(hostIP ? { hostIP } : {}),
    ...(protocol ? { protocol } : {}),
  });
  const all = web();
  const one = web('10.0.0.1');
  it.each([
    ['all addresses', all, all, false],
    ['all addresses, after one address', all, one, false],
    ['one address, after all', one, all, false],
    ['one address, after the same one', one, one, false],
    ['one address, after another one', one, web('10.0.0.2'), true],
    ['another protocol', all, web('', 'UDP'), true],
    ['another number', all, { hostPort: 81 }, true],
  ])('admits a host port on %s only where it is free (O-07)', (_, wanted, taken, admits) => {
    const counters = sumOfClaims([claimed({ ports: [taken] })]);
    const { atMost } = bindCondition(node, claimed({ ports: [wanted] })) ?? { atMost: new Map() };
    const fits = [...atMost].every(([name, limit]) => (counters.get(name) ?? 0) <= limit);
    expect(atMost.size).toBeGreaterThan(1);
    expect(fits).toBe(admits);
  });
});

describe('claimStep', () => {
  const unbound = aPod({ nodeName: '', phase: 'Pending' });
  const bound = aPod({ requests: { cpu: '1' } });
  const larger = aPod({ requests: { cpu: '2' } });
  it.each([
    ['is made without a node', undefined, unbound, undefined],
    ['is made with a node', undefined, bound, 'claim'],
    ['is bound', unbound, bound, 'claim'],
    ['changes before it is bound', unbound, aPod({ nodeName: '', requests: { cpu: '9' } }), undefined],
    ['reports its phase', aPod({ phase: 'Pending' }), aPod({ phase: 'Running' }), undefined],
    ['asks for more', bound, larger, 'resize'],
    ['asks for less', larger, bound, 'resize'],
    ['asks for nothing any more', bound, aPod(), 'resize'],
    ['ends', bound, aPod({ requests: { cpu: '1' }, phase: 'Succeeded' }), undefined],
    ['ends and asks for less', larger, aPod({ requests: { cpu: '1' }, phase: 'Failed' }), undefined],
  ] as const)('of a pod that %s (O-08)', (_, before, after, step) => {
    expect(claimStep(before, after)).toBe(step);
  });

  it('sees what a node has promised beyond the spec (O-08, N-03)', () => {
    const container = (cpu: string) => ({ name: 'main', allocatedResources: { cpu } });
    const after = aPod({ requests: { cpu: '1' }, status: { containerStatuses: [container('3')] } });
    expect(claimStep(bound, after)).toBe('resize');
    expect(resizedClaim(claimOf(bound, NOW), after).requests.get('cpu')).toBe(3000);
  });
});

describe('resizedClaim', () => {
  const claim = claimed({ requests: { cpu: '1' } });

  it('keeps all but the requests (O-08)', () => {
    expect(resizedClaim(claim, aPod({ requests: { cpu: '2' } }))).toEqual({
      ...claim,
      requests: new Map([['cpu', 2000]]),
    });
  });

  it.each([
    ['has the same requests', claim],
    ['has ended', { ...claim, requests: new Map([['cpu', 5]]), ended: true }],
  ])('is the same claim if it %s (O-08)', (_, stored) => {
    expect(resizedClaim(stored, aPod({ requests: { cpu: '1' } }))).toBe(stored);
  });
});

describe('releasedClaim', () => {
  const claim = claimed({ requests: { cpu: '1' } });
  const ended = { ...claim, ended: true };
  it.each([
    ['stays while the pod runs', claim, aPod(), claim],
    [
      'stays while the pod terminates',
      claim,
      { ...aPod(), metadata: { ...aPod().metadata, deletionTimestamp: 'x' } },
      claim,
    ],
    ['stays although the pod names another node', claim, aPod({ nodeName: 'n2' }), claim],
    ['ends with the pod', claim, aPod({ phase: 'Failed' }), ended],
    ['has ended before', ended, aPod({ phase: 'Failed' }), ended],
    ['stays ended', ended, aPod(), ended],
    ['goes with the pod', claim, undefined, undefined],
    ['goes with the pod after it has ended', ended, undefined, undefined],
  ] as const)('%s (O-09)', (_, stored, pod, released) => {
    expect(releasedClaim(stored, pod)).toEqual(released);
  });
});

describe('repairedClaim', () => {
  const pod = aPod({ requests: { cpu: '1' } });
  const claim = claimOf(pod, NOW);
  const ended = { ...claim, ended: true };
  const failed = aPod({ requests: { cpu: '1' }, phase: 'Failed' });
  it.each([
    ['is made where none is', undefined, pod, { ...claim, claimedAt: NOW + 1 }],
    ['comes to life with a pod that runs again', ended, pod, claim],
    ['gets the requests of the pod', { ...claim, requests: new Map([['cpu', 5]]) }, pod, claim],
    ['is not made for a pod that has ended', undefined, failed, undefined],
  ] as const)('%s (O-11)', (_, read, of, repaired) => {
    expect(repairedClaim(read, of, NOW + 1)).toEqual(repaired);
  });

  it.each([
    ['is right', claim, pod],
    ['is that of a pod that has ended', claim, failed],
  ] as const)('is the same claim if it %s (O-11)', (_, read, of) => {
    expect(repairedClaim(read, of, NOW + 1)).toBe(read);
  });
});
