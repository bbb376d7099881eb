import { describe, expect, it } from 'vitest';
import type { Spread } from '../../../../../shared/kube/types/affinity.ts';
import type { Pod } from '../../../../../shared/kube/types/core.ts';
import type { OwnerReference } from '../../../../../shared/kube/types/meta.ts';
import {
  DEFAULT_SPREADS,
  defaultSpreadSelector,
} from '../../../../../shared/rules/scheduling/pods/default-spread.ts';
import { spreadScores } from '../../../../../shared/rules/scheduling/scores/topology-spread-score.ts';
import { aNode } from '../../../../support/objects/domain-objects.ts';
import {
  byPath,
  placedPod,
  populated,
  populatedBy,
  webs,
} from '../../../../support/scheduling/scheduling-objects.ts';

const SOFT: Spread = {
  topologyKey: 'topology.kubernetes.io/zone',
  maxSkew: 1,
  whenUnsatisfiable: 'ScheduleAnyway',
  labelSelector: { matchLabels: { app: 'web' } },
};
const SOFT_HOST: Spread = { ...SOFT, topologyKey: 'kubernetes.io/hostname' };

const withSpreads = (...topologySpreadConstraints: readonly Spread[]): Pod =>
  placedPod({ spec: { topologySpreadConstraints } });

const service = (selector?: Readonly<Record<string, string>>, namespace = 'default') => ({
  apiVersion: 'v1',
  kind: 'Service',
  metadata: { name: 's', namespace },
  spec: selector ? { selector } : {},
});

const owned = (apiVersion: string, kind: string): Pod => {
  const owner: OwnerReference = { apiVersion, kind, name: 'o', uid: 'u', controller: true };
  const pod = placedPod();
  return { ...pod, metadata: { ...pod.metadata, ownerReferences: [owner] } };
};

const controller = <T extends object>(selector: T) => ({
  apiVersion: 'apps/v1',
  kind: 'any',
  metadata: { name: 'o', namespace: 'default' },
  spec: { selector },
});

const any = () => true;

describe('spreadScores', () => {
  it('X-07 gives no score for a pod without soft constraints', () => {
    const nodes = populatedBy({ a1: [], b1: [] });
    expect(spreadScores(placedPod(), populated(nodes), nodes, any)).toBeUndefined();
    expect(
      spreadScores(
        withSpreads({ ...SOFT, whenUnsatisfiable: 'DoNotSchedule' }),
        populated(nodes),
        nodes,
        any,
      ),
    ).toBeUndefined();
  });

  it('X-07, X-08 prefers the emptier zone, by pods of all its nodes', () => {
    const nodes = populatedBy({ a1: webs(1), a2: webs(2), b1: webs(1), c1: [] });
    // Costs 3, 3, 1 and 0 pods times ln(3 + 2), rounded: 5, 5, 2, 0.
    expect(spreadScores(withSpreads(SOFT), populated(nodes), nodes, any)).toEqual([0, 0, 60, 100]);
  });

  it('X-07 counts a host by its own pods, and weighs it by the number of candidates', () => {
    const nodes = populatedBy({ a1: webs(2), a2: webs(1), b1: [] });
    // 2, 1 and 0 pods times ln(5), rounded: 3, 2, 0.
    expect(spreadScores(withSpreads(SOFT_HOST), populated(nodes), nodes, any)).toEqual([0, 33, 100]);
  });

  it('X-07 counts pods on nodes that are not candidates, if a candidate shares their zone', () => {
    const nodes = populatedBy({ a1: [], a2: webs(1), b1: [] });
    const feasible = nodes.filter(({ node }) => node.metadata.name !== 'a2');
    expect(spreadScores(withSpreads(SOFT), populated(nodes), feasible, any)).toEqual([0, 100]);
  });

  it('X-08 gives 100 to all where no pod counts, and 0 to a node without the label', () => {
    const nodes = [...populatedBy({ a1: [], b1: [] }), { node: aNode({ name: 'x' }), pods: [] }];
    expect(spreadScores(withSpreads(SOFT), populated(nodes), nodes, any)).toEqual([100, 100, 0]);
  });

  it('X-09 spreads the pods of a Service by the constraints of the cluster, with or without a zone', () => {
    const hosts = [
      { node: aNode({ name: 'h1', labels: { 'kubernetes.io/hostname': 'h1' } }), pods: webs(1) },
      { node: aNode({ name: 'h2', labels: { 'kubernetes.io/hostname': 'h2' } }), pods: [] },
    ];
    const services = byPath([service({ app: 'web' })]);
    // 1 pod times ln(2 + 2) and 3 - 1, rounded: 3; without a pod 2.
    expect(spreadScores(placedPod(), populated(hosts), hosts, any, { services })).toEqual([66, 100]);
    expect(spreadScores(placedPod(), populated(hosts), hosts, any)).toBeUndefined();
  });

  it('X-09 allows a skew of 3 over hosts and of 5 over zones, both soft', () => {
    expect(
      DEFAULT_SPREADS.map(({ topologyKey, maxSkew, whenUnsatisfiable }) => [
        topologyKey,
        maxSkew,
        whenUnsatisfiable,
      ]),
    ).toEqual([
      ['kubernetes.io/hostname', 3, 'ScheduleAnyway'],
      ['topology.kubernetes.io/zone', 5, 'ScheduleAnyway'],
    ]);
  });
});

describe('defaultSpreadSelector', () => {
  const web = { key: 'app', operator: 'In', values: ['web'] };
  it.each([
    ['a Service that selects the pod', placedPod(), { services: byPath([service({ app: 'web' })]) }, [web]],
    [
      'a Service of another namespace',
      placedPod(),
      { services: byPath([service({ app: 'web' }, 'other')]) },
      undefined,
    ],
    [
      'a Service that selects other pods',
      placedPod(),
      { services: byPath([service({ app: 'db' })]) },
      undefined,
    ],
    ['a Service without a selector', placedPod(), { services: byPath([service()]) }, undefined],
    [
      'a ReplicaSet',
      owned('apps/v1', 'ReplicaSet'),
      { replicaSets: byPath([controller({ matchLabels: { app: 'web' } })]) },
      [web],
    ],
    [
      'a StatefulSet',
      owned('apps/v1', 'StatefulSet'),
      { statefulSets: byPath([controller({ matchExpressions: [web] })]) },
      [web],
    ],
    [
      'a ReplicationController',
      owned('v1', 'ReplicationController'),
      { replicationControllers: byPath([controller({ app: 'web' })]) },
      [web],
    ],
    ['a Job', owned('batch/v1', 'Job'), {}, undefined],
    ['a ReplicaSet that is gone', owned('apps/v1', 'ReplicaSet'), { replicaSets: byPath([]) }, undefined],
  ])('X-09 %s', (_name, pod, owners, matchExpressions) => {
    expect(defaultSpreadSelector(pod, owners)).toEqual(matchExpressions && { matchExpressions });
  });
});
