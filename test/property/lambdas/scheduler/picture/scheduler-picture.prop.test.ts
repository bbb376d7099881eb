/** What the rules about other pods count in the scheduler's picture is what a look at each pod would count. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createPicture, type Picture } from '../../../../../lambdas/scheduler/picture/picture.ts';
import type { Node, Pod } from '../../../../../shared/kube/types/core.ts';
import type { TopologyCounts } from '../../../../../shared/rules/scheduling/cluster/topology-counts.ts';
import { addToTopology, atTopology } from '../../../../../shared/rules/scheduling/cluster/topology-counts.ts';
import { interPodAffinityState } from '../../../../../shared/rules/scheduling/filters/inter-pod-affinity.ts';
import type { SpreadConstraint } from '../../../../../shared/rules/scheduling/filters/spread-constraint.ts';
import {
  countMatching,
  hasAllTopologies,
  isCounted,
  matchingByNode,
  spreadConstraint,
  spreadsOf,
} from '../../../../../shared/rules/scheduling/filters/spread-constraint.ts';
import { spreadState } from '../../../../../shared/rules/scheduling/filters/topology-spread.ts';
import { sharedClaimsOf } from '../../../../../shared/rules/scheduling/pods/claim-users.ts';
import {
  affinityTermsOf,
  areAllAbout,
  isAbout,
} from '../../../../../shared/rules/scheduling/pods/pod-affinity-terms.ts';
import { interPodAffinityScores } from '../../../../../shared/rules/scheduling/scores/inter-pod-affinity-score.ts';

const NAMESPACES = new Map([
  ['a', { team: 'x' }],
  ['b', { team: 'y' }],
]);
const NODES = ['n0', 'n1', 'n2', 'n3'];
const UIDS = ['u0', 'u1', 'u2', 'u3', 'u4', 'u5', 'u6'];

const value = fc.constantFrom('1', '2');
const labels = fc.record({ app: value, tier: value, own: fc.constantFrom(...UIDS) }, { requiredKeys: [] });
const requirement = fc.record({
  key: fc.constantFrom('app', 'tier', 'own'),
  operator: fc.constantFrom('In', 'NotIn', 'Exists', 'DoesNotExist'),
  values: fc.array(value, { minLength: 1, maxLength: 3 }),
});
const labelSelector = fc.record(
  {
    matchLabels: fc.record({ app: value, tier: value }, { requiredKeys: [] }),
    matchExpressions: fc.array(requirement, { maxLength: 2 }),
  },
  { requiredKeys: [] },
);
const topologyKey = fc.constantFrom('zone', 'kubernetes.io/hostname');
const matchLabelKeys = fc.subarray(['tier', 'own'], { maxLength: 1 });

const term = fc.record(
  {
    topologyKey,
    labelSelector,
    namespaces: fc.array(fc.constantFrom('a', 'b'), { maxLength: 2 }),
    namespaceSelector: fc.constantFrom({}, { matchLabels: { team: 'y' } }),
    matchLabelKeys,
    mismatchLabelKeys: fc.constant(['app']),
  },
  { requiredKeys: ['topologyKey'] },
);
const terms = fc.record({
  requiredDuringSchedulingIgnoredDuringExecution: fc.array(term, { maxLength: 2 }),
  preferredDuringSchedulingIgnoredDuringExecution: fc.array(
    fc.record({ weight: fc.integer({ min: 1, max: 3 }), podAffinityTerm: term }),
    { maxLength: 2 },
  ),
});
const affinity = fc.record({ podAffinity: terms, podAntiAffinity: terms }, { requiredKeys: [] });
const spread = fc.record(
  {
    topologyKey,
    whenUnsatisfiable: fc.constantFrom('DoNotSchedule', 'ScheduleAnyway'),
    maxSkew: fc.constant(1),
    minDomains: fc.constantFrom(1, 3),
    labelSelector,
    matchLabelKeys,
    nodeTaintsPolicy: fc.constantFrom('Honor', 'Ignore'),
    nodeAffinityPolicy: fc.constantFrom('Honor', 'Ignore'),
  },
  { requiredKeys: ['topologyKey', 'whenUnsatisfiable', 'maxSkew'] },
);

const podOf = fc
  .record({
    uid: fc.constantFrom(...UIDS),
    namespace: fc.constantFrom('a', 'b'),
    labels,
    affinity,
    spreads: fc.array(spread, { maxLength: 2 }),
    volumes: fc.array(
      fc.constantFrom('c1', 'c2').map((claimName) => ({ persistentVolumeClaim: { claimName } })),
      {
        maxLength: 2,
      },
    ),
    nodeName: fc.constantFrom('', ...NODES, 'absent'),
    phase: fc.constantFrom('Running', 'Running', 'Running', 'Failed'),
    isTerminating: fc.boolean(),
  })
  .map(
    ({ uid, namespace, nodeName, phase, isTerminating, spreads, volumes, ...one }): Pod => ({
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: {
        name: uid,
        uid,
        namespace,
        labels: one.labels,
        ...(isTerminating ? { deletionTimestamp: '2026-01-02T00:00:00Z' } : {}),
      },
      spec: {
        ...(nodeName === '' ? {} : { nodeName }),
        affinity: one.affinity,
        topologySpreadConstraints: spreads,
        volumes,
      },
      status: { phase },
    }),
  );

const nodeOf = fc
  .record({ name: fc.constantFrom(...NODES), zone: fc.constantFrom('', 'x', 'y'), isTainted: fc.boolean() })
  .map(
    ({ name, zone, isTainted }): Node => ({
      apiVersion: 'v1',
      kind: 'Node',
      metadata: { name, labels: { 'kubernetes.io/hostname': name, ...(zone === '' ? {} : { zone }) } },
      spec: isTainted ? { taints: [{ key: 'k', effect: 'NoSchedule' }] } : {},
    }),
  );

/** What the picture was told. */
interface World {
  readonly picture: Picture;
  readonly nodes: Map<string, Node>;
  readonly pods: Map<string, Pod>;
}

type Step = (world: World) => void;

const putPod =
  (pod: Pod): Step =>
  ({ picture, pods }) => {
    const uid = pod.metadata.uid ?? '';
    picture.apply({ before: pods.get(uid), after: pod });
    pods.set(uid, pod);
  };

/** A bind that gets into the log after the labels of the pod were changed, or is taken back. */
const bind =
  (pod: Pod, isBound: boolean): Step =>
  ({ picture, pods }) => {
    const uid = pod.metadata.uid ?? '';
    if (pods.has(uid) || !pod.spec.nodeName || pod.status?.phase === 'Failed') return;
    picture.assume({ ...pod, metadata: { ...pod.metadata, labels: { app: 'assumed' } } });
    if (isBound) putPod(pod)({ picture, pods, nodes: new Map() });
    else picture.forget(pod);
  };

const removePod =
  (uid: string): Step =>
  ({ picture, pods }) => {
    const before = pods.get(uid);
    if (before) picture.apply({ before, after: undefined });
    pods.delete(uid);
  };

const putNode =
  (node: Node): Step =>
  ({ picture, nodes }) => {
    picture.apply({ before: nodes.get(node.metadata.name), after: node });
    nodes.set(node.metadata.name, node);
  };

const removeNode =
  (name: string): Step =>
  ({ picture, nodes }) => {
    const before = nodes.get(name);
    if (before) picture.apply({ before, after: undefined });
    nodes.delete(name);
  };

const step = fc.oneof(
  { weight: 6, arbitrary: podOf.map(putPod) },
  { weight: 2, arbitrary: fc.tuple(podOf, fc.boolean()).map(([pod, isBound]) => bind(pod, isBound)) },
  { weight: 2, arbitrary: fc.constantFrom(...UIDS).map(removePod) },
  { weight: 4, arbitrary: nodeOf.map(putNode) },
  { weight: 1, arbitrary: fc.constantFrom(...NODES).map(removeNode) },
);

const worldAfter = (steps: readonly Step[]): World => {
  const world = { picture: createPicture(), nodes: new Map(), pods: new Map() };
  for (const [name, own] of NAMESPACES)
    world.picture.apply({ after: { apiVersion: 'v1', kind: 'Namespace', metadata: { name, labels: own } } });
  for (const one of steps) one(world);
  return world;
};

const podsOn = ({ pods }: World, name: string): readonly Pod[] =>
  [...pods.values()].filter(({ spec, status }) => spec.nodeName === name && status?.phase !== 'Failed');

const onlyNamed = ({ metadata }: Node): boolean => metadata.name !== 'n1';

/** Pods by domain as the rule says it, by a look at each pod. */
const domainsOf = (
  world: World,
  pod: Pod,
  constraint: SpreadConstraint,
  all: readonly SpreadConstraint[],
) => {
  const domains = new Map<string, number>();
  for (const node of world.nodes.values()) {
    if (!hasAllTopologies(node, all) || !isCounted(constraint, pod, node, onlyNamed)) continue;
    const domain = node.metadata.labels?.[constraint.topologyKey] ?? '';
    const count = countMatching(podsOn(world, node.metadata.name), pod, constraint);
    domains.set(domain, (domains.get(domain) ?? 0) + count);
  }
  return domains;
};

type Addition = readonly [topologyKey: string, weight: number];

/** Sums over all pairs of a node and a pod on it. */
const topologies = (world: World, additions: (other: Pod) => readonly Addition[]): TopologyCounts => {
  const counts: TopologyCounts = new Map();
  for (const node of world.nodes.values())
    for (const other of podsOn(world, node.metadata.name))
      for (const [key, weight] of additions(other)) addToTopology(counts, node, key, weight);
  return counts;
};

const affinityCounts = (world: World, pod: Pod) => {
  const own = affinityTermsOf(pod);
  return {
    affinity: topologies(world, (other) =>
      areAllAbout(own.affinity, other, NAMESPACES) ? own.affinity.map((one) => [one.topologyKey, 1]) : [],
    ),
    antiAffinity: topologies(world, (other) =>
      own.antiAffinity.filter((one) => isAbout(one, other, NAMESPACES)).map((one) => [one.topologyKey, 1]),
    ),
    existingAntiAffinity: topologies(world, (other) =>
      affinityTermsOf(other)
        .antiAffinity.filter((one) => isAbout(one, pod, NAMESPACES))
        .map((one) => [one.topologyKey, 1]),
    ),
  };
};

const affinityWeights = (world: World, pod: Pod): TopologyCounts =>
  topologies(world, (other) => {
    const theirs = affinityTermsOf(other);
    const about = (whom: Pod) => (one: Parameters<typeof isAbout>[0]) => isAbout(one, whom, NAMESPACES);
    return [
      ...affinityTermsOf(pod)
        .preferred.filter(about(other))
        .map((one) => [one.topologyKey, one.weight] as const),
      ...theirs.preferred.filter(about(pod)).map((one) => [one.topologyKey, one.weight] as const),
      ...theirs.affinity.filter(about(pod)).map((one) => [one.topologyKey, 1] as const),
    ];
  });

const scoresOf = (counts: TopologyCounts, nodes: readonly Node[]): readonly number[] | undefined => {
  if (counts.size === 0) return undefined;
  const sums = nodes.map((node) =>
    [...counts.keys()].reduce((sum, key) => sum + (atTopology(counts, node, key) ?? 0), 0),
  );
  const [most, least] = [Math.max(...sums), Math.min(...sums)];
  return sums.map((sum) => (most === least ? 0 : Math.floor(100 * ((sum - least) / (most - least)))));
};

const runs = { numRuns: 3_000 };
const steps = fc.array(step, { minLength: 4, maxLength: 24 });

describe('the picture of the scheduler (X-11)', () => {
  it('has the pods of each node by constraint of topology spread, hard and soft', () => {
    let counted = 0;
    fc.assert(
      fc.property(steps, podOf, (changes, pod) => {
        const world = worldAfter(changes);
        const cluster = world.picture.cluster();
        for (const constraint of spreadsOf(pod).map((one) => spreadConstraint(one, pod))) {
          const byNode = matchingByNode(cluster.bound, pod, constraint);
          for (const { node } of cluster.nodes) {
            const own = countMatching(podsOn(world, node.metadata.name), pod, constraint);
            expect(byNode.get(node.metadata.name) ?? 0).toBe(own);
            counted += own;
          }
        }
        const { counts, constraints } = spreadState(pod, cluster, onlyNamed);
        for (const { constraint, byDomain } of counts)
          expect(byDomain).toEqual(domainsOf(world, pod, constraint, constraints));
      }),
      runs,
    );
    expect(counted).toBeGreaterThan(0);
  });

  it('has the pods of each domain by term of affinity: own terms, and terms of running pods', () => {
    const found = { affinity: 0, antiAffinity: 0, existingAntiAffinity: 0 };
    fc.assert(
      fc.property(steps, podOf, (changes, pod) => {
        const world = worldAfter(changes);
        const { counts } = interPodAffinityState(pod, world.picture.cluster(), NAMESPACES);
        expect(counts).toEqual(affinityCounts(world, pod));
        for (const kind of ['affinity', 'antiAffinity', 'existingAntiAffinity'] as const)
          found[kind] += counts[kind].size;
      }),
      runs,
    );
    expect(Object.values(found).every((count) => count > 0)).toBe(true);
  });

  it('has the weights of each domain by preferred affinity', () => {
    let scored = 0;
    fc.assert(
      fc.property(steps, podOf, (changes, pod) => {
        const world = worldAfter(changes);
        const cluster = world.picture.cluster();
        const scores = interPodAffinityScores(pod, cluster, cluster.nodes, NAMESPACES);
        const nodes = cluster.nodes.map(({ node }) => node);
        expect(scores).toEqual(scoresOf(affinityWeights(world, pod), nodes));
        scored += scores ? 1 : 0;
      }),
      runs,
    );
    expect(scored).toBeGreaterThan(0);
  });

  it('has the nodes of the pods that use a claim', () => {
    let found = 0;
    fc.assert(
      fc.property(
        steps,
        fc.constantFrom('a', 'b'),
        fc.constantFrom('c1', 'c2'),
        (changes, namespace, claim) => {
          const world = worldAfter(changes);
          const used = world.picture.cluster().bound.claims.nodesOf(namespace, claim);
          const users = [...NODES, 'absent'].flatMap((name) =>
            podsOn(world, name)
              .filter((pod) => pod.metadata.namespace === namespace && sharedClaimsOf(pod).has(claim))
              .map(() => name),
          );
          expect([...used].toSorted()).toEqual(users.toSorted());
          found += users.length;
        },
      ),
      { numRuns: 1_000 },
    );
    expect(found).toBeGreaterThan(0);
  });

  it('keeps no group of pods that are gone', () => {
    fc.assert(
      fc.property(steps, (changes) => {
        const world = worldAfter(changes);
        for (const uid of UIDS) removePod(uid)(world);
        const { bound } = world.picture.cluster();
        const claims = ['c1', 'c2'].flatMap((claim) => bound.claims.nodesOf('a', claim));
        expect([...bound.labelled.namespaces(), ...bound.withTerms(), ...claims]).toEqual([]);
      }),
      { numRuns: 500 },
    );
  });
});
