import { describe, expect, it } from 'vitest';
import type { PodAffinityTerm } from '../../../../../shared/kube/types/affinity.ts';
import type { Pod } from '../../../../../shared/kube/types/core.ts';
import {
  interPodAffinityRefusal,
  interPodAffinityState,
} from '../../../../../shared/rules/scheduling/filters/inter-pod-affinity.ts';
import type {
  NamespaceLabels,
  PodChange,
  PopulatedNode,
} from '../../../../../shared/rules/scheduling/pods/placement.ts';
import { interPodAffinityScores } from '../../../../../shared/rules/scheduling/scores/inter-pod-affinity-score.ts';
import { aNode } from '../../../../support/objects/domain-objects.ts';
import type { Labels, PlacedPodParts } from '../../../../support/scheduling/scheduling-objects.ts';
import { placedPod, populated, populatedBy } from '../../../../support/scheduling/scheduling-objects.ts';

const NAMESPACES: NamespaceLabels = new Map([
  ['default', {}],
  ['other', { team: 'a' }],
]);

const HOST = 'kubernetes.io/hostname';
const ZONE = 'topology.kubernetes.io/zone';

const term = (app: string, topologyKey = ZONE, more: PodAffinityTerm = {}): PodAffinityTerm => ({
  topologyKey,
  labelSelector: { matchLabels: { app } },
  ...more,
});

type Kind = 'podAffinity' | 'podAntiAffinity';

const requiring = (kind: Kind, terms: readonly PodAffinityTerm[], parts: PlacedPodParts = {}): Pod =>
  placedPod({
    ...parts,
    spec: { affinity: { [kind]: { requiredDuringSchedulingIgnoredDuringExecution: terms } } },
  });

const preferring = (
  kind: Kind,
  weight: number,
  podAffinityTerm: PodAffinityTerm,
  parts: PlacedPodParts = {},
): Pod =>
  placedPod({
    ...parts,
    spec: {
      affinity: {
        [kind]: { preferredDuringSchedulingIgnoredDuringExecution: [{ weight, podAffinityTerm }] },
      },
    },
  });

const app = (name: string, labels: Labels = {}, namespace = 'default'): Pod =>
  placedPod({ labels: { app: name, ...labels }, namespace });

interface Row {
  readonly name: string;
  readonly pod: Pod;
  readonly nodes: readonly PopulatedNode[];
  readonly change?: PodChange;
  readonly fit: readonly string[];
}

const dbInB = populatedBy({ a1: [], b1: [app('db')], b2: [] });
const unlabelled = { node: aNode({ name: 'x' }), pods: [app('db')] };

describe('interPodAffinityRefusal', () => {
  it.each<Row>([
    {
      name: 'Y-01 takes the pod to the zone of the other',
      pod: requiring('podAffinity', [term('db')]),
      nodes: dbInB,
      fit: ['b1', 'b2'],
    },
    {
      name: 'Y-01 takes it to the host of the other',
      pod: requiring('podAffinity', [term('db', HOST)]),
      nodes: dbInB,
      fit: ['b1'],
    },
    {
      name: 'Y-01 one pod must meet all terms',
      pod: requiring('podAffinity', [
        term('db'),
        { topologyKey: ZONE, labelSelector: { matchLabels: { tier: '1' } } },
      ]),
      nodes: populatedBy({
        a1: [app('db'), placedPod({ labels: { tier: '1' } })],
        b1: [app('db', { tier: '1' })],
      }),
      fit: ['b1'],
    },
    {
      name: 'Y-01 refuses a node without the label, whoever runs there',
      pod: requiring('podAffinity', [term('db')]),
      nodes: [unlabelled],
      fit: [],
    },
    {
      name: 'Y-02 lets the first pod of a group in where the label is',
      pod: requiring('podAffinity', [term('web')]),
      nodes: [...populatedBy({ a1: [], b1: [app('db')] }), { node: aNode({ name: 'x' }), pods: [] }],
      fit: ['a1', 'b1'],
    },
    {
      name: 'Y-02 sends the second pod to the first',
      pod: requiring('podAffinity', [term('web')]),
      nodes: populatedBy({ a1: [app('web')], b1: [] }),
      fit: ['a1'],
    },
    {
      name: 'Y-02 does not let in a pod that is not of the group',
      pod: requiring('podAffinity', [term('db')]),
      nodes: populatedBy({ a1: [], b1: [] }),
      fit: [],
    },
    {
      name: 'Y-03 keeps the pod out of the zone of the other',
      pod: requiring('podAntiAffinity', [term('db')]),
      nodes: dbInB,
      fit: ['a1'],
    },
    {
      name: 'Y-03 any one term is enough',
      pod: requiring('podAntiAffinity', [term('db', HOST), term('web')]),
      nodes: populatedBy({ a1: [app('web')], a2: [], b1: [app('db')], b2: [] }),
      fit: ['b2'],
    },
    {
      name: 'Y-04 keeps the pod away from running pods that avoid it',
      pod: app('web'),
      nodes: populatedBy({
        a1: [requiring('podAntiAffinity', [term('web')], { labels: {} })],
        a2: [],
        b1: [],
      }),
      fit: ['b1'],
    },
    {
      name: 'Y-05 a term without namespaces is about its owner’s',
      pod: requiring('podAntiAffinity', [term('db')]),
      nodes: populatedBy({ a1: [app('db', {}, 'other')], b1: [] }),
      fit: ['a1', 'b1'],
    },
    {
      name: 'Y-05 named namespaces stand in its place',
      pod: requiring('podAntiAffinity', [term('db', ZONE, { namespaces: ['other'] })]),
      nodes: populatedBy({ a1: [app('db', {}, 'other')], b1: [app('db')] }),
      fit: ['b1'],
    },
    {
      name: 'Y-05 a namespace selector adds the namespaces with these labels',
      pod: requiring('podAntiAffinity', [
        term('db', ZONE, { namespaces: ['third'], namespaceSelector: { matchLabels: { team: 'a' } } }),
      ]),
      nodes: populatedBy({ a1: [app('db', {}, 'other')], b1: [app('db')], c1: [app('db', {}, 'third')] }),
      fit: ['b1'],
    },
    {
      name: 'Y-05 an empty namespace selector means all namespaces',
      pod: requiring('podAntiAffinity', [term('db', ZONE, { namespaceSelector: {} })]),
      nodes: populatedBy({ a1: [app('db', {}, 'other')], b1: [app('db')], c1: [] }),
      fit: ['c1'],
    },
    {
      name: 'Y-05 the namespaces of a running pod’s term are looked up for the new pod',
      pod: app('web'),
      nodes: populatedBy({
        a1: [requiring('podAntiAffinity', [term('web')], { namespace: 'other' })],
        b1: [
          requiring('podAntiAffinity', [term('web', ZONE, { namespaces: ['default'] })], {
            namespace: 'other',
          }),
        ],
      }),
      fit: ['a1'],
    },
    {
      name: 'Y-06 an absent selector is about no pod',
      pod: requiring('podAntiAffinity', [{ topologyKey: ZONE }]),
      nodes: dbInB,
      fit: ['a1', 'b1', 'b2'],
    },
    {
      name: 'Y-06 matchLabelKeys are about pods with the same values',
      pod: requiring('podAntiAffinity', [term('web', ZONE, { matchLabelKeys: ['rev'] })], {
        labels: { app: 'web', rev: '2' },
      }),
      nodes: populatedBy({ a1: [app('web', { rev: '1' })], b1: [app('web', { rev: '2' })] }),
      fit: ['a1'],
    },
    {
      name: 'Y-06 mismatchLabelKeys are about pods with other values',
      pod: requiring('podAntiAffinity', [term('web', ZONE, { mismatchLabelKeys: ['rev'] })], {
        labels: { app: 'web', rev: '2' },
      }),
      nodes: populatedBy({ a1: [app('web', { rev: '1' })], b1: [app('web', { rev: '2' })] }),
      fit: ['b1'],
    },
    {
      name: 'Y-07 anti-affinity says nothing about a node without the label',
      pod: requiring('podAntiAffinity', [term('db')]),
      nodes: [unlabelled],
      fit: ['x'],
    },
    {
      name: 'Y-10 a pod imagined gone makes room',
      pod: requiring('podAntiAffinity', [term('db')]),
      nodes: populatedBy({ b1: [app('db')] }),
      change: { removed: [app('db')] },
      fit: ['b1'],
    },
    {
      name: 'Y-10 the pod that a term needs is not found where it is imagined gone',
      pod: requiring('podAffinity', [term('db')]),
      nodes: populatedBy({ b1: [app('db')] }),
      change: { removed: [app('db')] },
      fit: [],
    },
    {
      name: 'Y-10 the last of the group gone makes the pod the first',
      pod: requiring('podAffinity', [term('web')]),
      nodes: populatedBy({ b1: [app('web')] }),
      change: { removed: [app('web')] },
      fit: ['b1'],
    },
    {
      name: 'Y-10 a pod imagined on the node keeps others out',
      pod: app('web'),
      nodes: populatedBy({ a1: [] }),
      change: { added: [requiring('podAntiAffinity', [term('web')])] },
      fit: [],
    },
  ])('$name', ({ pod, nodes, change, fit }) => {
    const state = interPodAffinityState(pod, populated(nodes), NAMESPACES);
    const fitting = nodes.filter(({ node }) => !interPodAffinityRefusal(state, node, change));
    expect(fitting.map(({ node }) => node.metadata.name)).toEqual(fit);
  });

  it.each([
    ['Y-01', requiring('podAffinity', [term('none')]), "node(s) didn't match pod affinity rules", false],
    [
      'Y-03',
      requiring('podAntiAffinity', [term('db')]),
      "node(s) didn't match pod anti-affinity rules",
      true,
    ],
    ['Y-04', app('web'), "node(s) didn't satisfy existing pods anti-affinity rules", true],
  ])('%s says why, and whether other pods that leave can help', (_id, pod, reason, isResolvable) => {
    const [node] = populatedBy({
      a1: [requiring('podAntiAffinity', [term('web')], { labels: { app: 'db' } })],
    });
    const refusal =
      node && interPodAffinityRefusal(interPodAffinityState(pod, populated([node]), NAMESPACES), node.node);
    expect(refusal).toEqual({ reasons: [reason], isResolvable });
  });

  it('Y-03 is said before Y-04', () => {
    const nodes = populatedBy({ a1: [requiring('podAntiAffinity', [term('web')])] });
    const pod = requiring('podAntiAffinity', [term('web')]);
    const refusals = nodes.map(({ node }) =>
      interPodAffinityRefusal(interPodAffinityState(pod, populated(nodes), NAMESPACES), node),
    );
    expect(refusals).toEqual([
      { reasons: ["node(s) didn't match pod anti-affinity rules"], isResolvable: true },
    ]);
  });
});

describe('interPodAffinityScores', () => {
  const scored = (pod: Pod, pods: Readonly<Record<string, readonly Pod[]>>) => {
    const nodes = populatedBy(pods);
    return interPodAffinityScores(pod, populated(nodes), nodes, NAMESPACES);
  };

  it.each<[string, Pod, Readonly<Record<string, readonly Pod[]>>, readonly number[] | undefined]>([
    ['Y-08 nothing is said where no term is about a pod', app('web'), { a1: [app('db')], b1: [] }, undefined],
    [
      'Y-08 a preferred affinity',
      preferring('podAffinity', 10, term('db')),
      { a1: [], b1: [app('db')], b2: [] },
      [0, 100, 100],
    ],
    [
      'Y-08 a preferred anti-affinity',
      preferring('podAntiAffinity', 10, term('db')),
      { a1: [], b1: [app('db')], b2: [] },
      [100, 0, 0],
    ],
    [
      'Y-08 preferences of running pods',
      app('web'),
      {
        a1: [preferring('podAffinity', 50, term('web'))],
        b1: [preferring('podAntiAffinity', 50, term('web'))],
        c1: [],
      },
      [100, 0, 50],
    ],
    [
      'Y-08 a required affinity of a running pod weighs 1',
      app('web'),
      {
        a1: [requiring('podAffinity', [term('web')])],
        b1: [preferring('podAffinity', 4, term('web'))],
        c1: [],
      },
      [25, 100, 0],
    ],
    [
      'Y-08 a required anti-affinity of a running pod does not score',
      app('db'),
      { a1: [requiring('podAntiAffinity', [term('web')])] },
      undefined,
    ],
    [
      'Y-09 scores are rounded down',
      preferring('podAffinity', 1, term('db')),
      { a1: [app('db')], b1: [app('db'), app('db'), app('db')], c1: [] },
      [33, 100, 0],
    ],
    [
      'Y-09 equal sums give 0 to all',
      preferring('podAffinity', 1, term('db')),
      { a1: [app('db')], b1: [app('db')] },
      [0, 0],
    ],
  ])('%s', (_name, pod, pods, scores) => {
    expect(scored(pod, pods)).toEqual(scores);
  });
});
