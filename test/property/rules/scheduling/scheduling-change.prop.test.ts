/** A refusal under an imagined change is the refusal of the cluster after that change. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Pod } from '../../../../shared/kube/types/core.ts';
import type { Cluster } from '../../../../shared/rules/scheduling/cluster/cluster.ts';
import { nodeInfo } from '../../../../shared/rules/scheduling/cluster/cluster.ts';
import type { Refusal } from '../../../../shared/rules/scheduling/cluster/framework.ts';
import { prepare } from '../../../../shared/rules/scheduling/feasible-nodes.ts';
import {
  interPodAffinityRefusal,
  interPodAffinityState,
} from '../../../../shared/rules/scheduling/filters/inter-pod-affinity.ts';
import { spreadRefusal, spreadState } from '../../../../shared/rules/scheduling/filters/topology-spread.ts';
import { DEFAULT_PROFILE } from '../../../../shared/rules/scheduling/plugins.ts';
import type { PodChange, PopulatedNode } from '../../../../shared/rules/scheduling/pods/placement.ts';
import {
  clusterOf,
  placedPod,
  populated,
  withNode,
  zoned,
} from '../../../support/scheduling/scheduling-objects.ts';

const topologyKey = fc.constantFrom('topology.kubernetes.io/zone', 'kubernetes.io/hostname', 'absent');
const labelSelector = fc.constantFrom({ matchLabels: { app: 'web' } }, { matchLabels: { app: 'db' } }, {});
const terms = fc.array(fc.record({ topologyKey, labelSelector }), { maxLength: 2 });
const required = terms.map((requiredDuringSchedulingIgnoredDuringExecution) => ({
  requiredDuringSchedulingIgnoredDuringExecution,
}));
const spread = fc.record({
  topologyKey,
  labelSelector,
  maxSkew: fc.integer({ min: 1, max: 2 }),
  minDomains: fc.integer({ min: 1, max: 4 }),
  whenUnsatisfiable: fc.constant('DoNotSchedule'),
});

/** At most one pod may use the claim `own`; two of the disks are the same one. */
const volumes = fc.subarray([
  { name: 'a', persistentVolumeClaim: { claimName: 'own' } },
  { name: 'b', gcePersistentDisk: { pdName: 'd' } },
]);
const containers = fc
  .record({ cpu: fc.constantFrom('100m', '3'), hostPort: fc.constantFrom(0, 80) })
  .map(({ cpu, hostPort }) => [{ name: 'c', resources: { requests: { cpu } }, ports: [{ hostPort }] }]);

const pods: fc.Arbitrary<Pod> = fc
  .record({
    app: fc.constantFrom('web', 'db'),
    isTerminating: fc.boolean(),
    podAffinity: required,
    podAntiAffinity: required,
    topologySpreadConstraints: fc.array(spread, { maxLength: 2 }),
    volumes,
    containers,
  })
  .map(({ app, isTerminating, podAffinity, podAntiAffinity, ...spec }) =>
    placedPod({
      labels: { app },
      isTerminating,
      spec: { affinity: { podAffinity, podAntiAffinity }, ...spec },
    }),
  );

const clusters = fc
  .array(fc.array(pods, { maxLength: 3 }), { minLength: 1, maxLength: 5 })
  .map((lists) =>
    lists.map(
      (own, index): PopulatedNode => ({ node: zoned(`${'abc'.charAt(index % 3)}${index}`), pods: own }),
    ),
  );

type Refuse = (pod: Pod, nodes: readonly PopulatedNode[], change?: PodChange) => Refusal | undefined;

/** Judges the first node. */
const refusals: readonly (readonly [string, Refuse])[] = [
  [
    'X-10 of topology spread',
    (pod, nodes, change) =>
      nodes[0] &&
      spreadRefusal(
        spreadState(pod, populated(nodes), () => true),
        nodes[0].node,
        change,
      ),
  ],
  [
    'Y-10 of affinity between pods',
    (pod, nodes, change) =>
      nodes[0] &&
      interPodAffinityRefusal(interPodAffinityState(pod, populated(nodes), new Map()), nodes[0].node, change),
  ],
];

describe.each(refusals)('the refusal %s', (_rule, refuse) => {
  it('is the same for imagined changes and for real ones', () => {
    fc.assert(
      fc.property(pods, clusters, fc.array(pods, { maxLength: 2 }), fc.nat(3), (pod, nodes, added, count) => {
        const [first, ...others] = nodes;
        if (!first) return;
        const removed = first.pods.slice(0, count);
        const staying = [...first.pods.slice(count), ...added];
        const changed = [{ ...first, pods: staying }, ...others];
        expect(refuse(pod, nodes, { removed, added })).toEqual(refuse(pod, changed));
      }),
      { numRuns: 500 },
    );
  });
});

const OWN: Cluster['storage'] = {
  claims: new Map([
    [
      'default/own',
      {
        apiVersion: 'v1',
        kind: 'PersistentVolumeClaim',
        metadata: {
          name: 'own',
          namespace: 'default',
          annotations: { 'pv.kubernetes.io/bind-completed': 'yes' },
        },
        spec: { volumeName: 'v', accessModes: ['ReadWriteOncePod'] },
      },
    ],
  ]),
  volumes: new Map([['v', { apiVersion: 'v1', kind: 'PersistentVolume', metadata: { name: 'v' } }]]),
  classes: new Map(),
  csiNodes: new Map(),
};

const verdictOf = (pod: Pod, cluster: Cluster, info: Cluster['nodes'][number]) => {
  const readiness = prepare(pod, cluster, DEFAULT_PROFILE.filters);
  return 'judge' in readiness ? readiness.judge(info) : readiness.fault;
};

it('all filters judge a version of a node by the counts of one look as they judge it after a new look (M-02, U-12)', () => {
  const seen = new Set<string>();
  fc.assert(
    fc.property(pods, clusters, fc.array(pods, { maxLength: 2 }), fc.nat(3), (pod, given, added, count) => {
      const nodes = given.map(({ node, pods: own }) =>
        nodeInfo({ ...node, status: { allocatable: { cpu: '4', pods: '3' } } }, own),
      );
      const [first] = nodes;
      if (!first) return;
      const version = nodeInfo(first.node, [...first.pods.slice(count), ...added]);
      const cluster = clusterOf(nodes, { storage: OWN });
      const verdict = verdictOf(pod, cluster, version);
      seen.add(typeof verdict === 'string' ? verdict : (verdict?.plugin ?? 'feasible'));
      expect(verdict).toEqual(verdictOf(pod, withNode(cluster, version), version));
    }),
    { numRuns: 2_000 },
  );
  expect([...seen].toSorted()).toEqual([
    'InterPodAffinity',
    'NodePorts',
    'NodeResourcesFit',
    'PodTopologySpread',
    'VolumeRestrictions',
    'feasible',
  ]);
});
