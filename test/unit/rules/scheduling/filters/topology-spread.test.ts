import { describe, expect, it } from 'vitest';
import type { Spread } from '../../../../../shared/kube/types/affinity.ts';
import {
  spreadRefusal,
  spreadState,
} from '../../../../../shared/rules/scheduling/filters/topology-spread.ts';
import type { PodChange, PopulatedNode } from '../../../../../shared/rules/scheduling/pods/placement.ts';
import { aNode, taint } from '../../../../support/objects/domain-objects.ts';
import type { PlacedPodParts } from '../../../../support/scheduling/scheduling-objects.ts';
import {
  placedPod,
  populated,
  populatedBy,
  webs,
  zoned,
} from '../../../../support/scheduling/scheduling-objects.ts';

const ZONE: Spread = {
  topologyKey: 'topology.kubernetes.io/zone',
  maxSkew: 1,
  whenUnsatisfiable: 'DoNotSchedule',
  labelSelector: { matchLabels: { app: 'web' } },
};
const HOST: Spread = { ...ZONE, topologyKey: 'kubernetes.io/hostname' };

interface Row {
  readonly name: string;
  readonly nodes: readonly PopulatedNode[];
  readonly spreads?: readonly Spread[];
  readonly pod?: PlacedPodParts;
  readonly change?: PodChange;
  /** Names of the nodes that take the pod. */
  readonly fit: readonly string[];
}

const skewed = populatedBy({ a1: webs(1), b1: webs(1), c1: [] });

describe('spreadRefusal', () => {
  it.each<Row>([
    { name: 'X-01 only the emptiest zone is within a skew of 1', nodes: skewed, fit: ['c1'] },
    {
      name: 'X-01 a skew of 2 lets all in',
      nodes: skewed,
      spreads: [{ ...ZONE, maxSkew: 2 }],
      fit: ['a1', 'b1', 'c1'],
    },
    {
      name: 'X-01 a pod that its own constraint does not select adds nothing',
      nodes: skewed,
      pod: { labels: {} },
      fit: ['a1', 'b1', 'c1'],
    },
    {
      name: 'X-01 each of several constraints must hold',
      nodes: populatedBy({ a1: webs(1), a2: [], b1: webs(1), b2: webs(1) }),
      spreads: [ZONE, HOST],
      fit: ['a2'],
    },
    {
      name: 'X-01 a soft constraint refuses nothing',
      nodes: skewed,
      spreads: [{ ...ZONE, whenUnsatisfiable: 'ScheduleAnyway' }],
      fit: ['a1', 'b1', 'c1'],
    },
    {
      name: 'X-02 a node that lacks the label of any constraint counts for none',
      nodes: [
        ...populatedBy({ a1: webs(1), b1: webs(1) }),
        { node: aNode({ name: 'x', labels: { rack: '1' } }), pods: [] },
      ],
      fit: ['a1', 'b1'],
    },
    {
      name: 'X-03 fewer domains than minDomains make the minimum 0',
      nodes: populatedBy({ a1: webs(1), b1: webs(1) }),
      spreads: [{ ...ZONE, minDomains: 3 }],
      fit: [],
    },
    {
      name: 'X-03 enough domains leave the minimum as it is',
      nodes: populatedBy({ a1: webs(1), b1: webs(1) }),
      spreads: [{ ...ZONE, minDomains: 2 }],
      fit: ['a1', 'b1'],
    },
    {
      name: 'X-04 other namespaces, other labels and terminating pods do not count',
      nodes: populatedBy({
        a1: [placedPod({ namespace: 'other' })],
        b1: [placedPod({ labels: { app: 'db' } })],
        c1: [placedPod({ isTerminating: true })],
        d1: [],
      }),
      fit: ['a1', 'b1', 'c1', 'd1'],
    },
    {
      name: 'X-04 an empty selector counts no pod',
      nodes: populatedBy({ a1: webs(3), b1: [] }),
      spreads: [{ ...ZONE, labelSelector: {} }],
      fit: ['a1', 'b1'],
    },
    {
      name: 'X-04 an absent selector counts no pod',
      nodes: populatedBy({ a1: webs(3), b1: [] }),
      spreads: [{ topologyKey: HOST.topologyKey ?? '', maxSkew: 1, whenUnsatisfiable: 'DoNotSchedule' }],
      fit: ['a1', 'b1'],
    },
    {
      name: 'X-05 a domain that the node selector leaves out has no say',
      nodes: [
        { node: zoned('a1', { disk: 'ssd' }), pods: webs(1) },
        { node: zoned('b1', { disk: 'ssd' }), pods: webs(1) },
        { node: zoned('c1'), pods: [] },
      ],
      fit: ['a1', 'b1', 'c1'],
    },
    {
      name: 'X-05 it has one with nodeAffinityPolicy Ignore',
      nodes: [
        { node: zoned('a1', { disk: 'ssd' }), pods: webs(1) },
        { node: zoned('b1', { disk: 'ssd' }), pods: webs(1) },
        { node: zoned('c1'), pods: [] },
      ],
      spreads: [{ ...ZONE, nodeAffinityPolicy: 'Ignore' }],
      fit: ['c1'],
    },
    {
      name: 'X-05 a tainted domain has a say by default',
      nodes: [...populatedBy({ a1: webs(1), b1: webs(1) }), { node: tainted('c1'), pods: [] }],
      fit: ['c1'],
    },
    {
      name: 'X-05 it has none with nodeTaintsPolicy Honor',
      nodes: [...populatedBy({ a1: webs(1), b1: webs(1) }), { node: tainted('c1'), pods: [] }],
      spreads: [{ ...ZONE, nodeTaintsPolicy: 'Honor' }],
      fit: ['a1', 'b1', 'c1'],
    },
    {
      name: 'X-05 it has one again for a pod that tolerates the taint',
      nodes: [...populatedBy({ a1: webs(1), b1: webs(1) }), { node: tainted('c1'), pods: [] }],
      spreads: [{ ...ZONE, nodeTaintsPolicy: 'Honor' }],
      pod: { spec: { tolerations: [{ key: 'x', operator: 'Exists' }] } },
      fit: ['c1'],
    },
    {
      name: 'X-06 matchLabelKeys count only pods with the same values',
      nodes: populatedBy({
        a1: [
          placedPod({ labels: { app: 'web', rev: '1' } }),
          placedPod({ labels: { app: 'web', rev: '1' } }),
        ],
        b1: [placedPod({ labels: { app: 'web', rev: '2' } })],
      }),
      spreads: [{ ...ZONE, matchLabelKeys: ['rev', 'absent'] }],
      pod: { labels: { app: 'web', rev: '2' } },
      fit: ['a1'],
    },
    {
      name: 'X-10 a pod imagined gone makes room in its domain only',
      nodes: populatedBy({ a1: webs(2), b1: webs(2), c1: webs(1) }),
      change: { removed: webs(1) },
      fit: ['a1', 'b1', 'c1'],
    },
    {
      name: 'X-10 a pod imagined on the node fills its domain',
      nodes: populatedBy({ a1: [], b1: [] }),
      change: { added: webs(1) },
      fit: [],
    },
    {
      name: 'X-10 the minimum sinks with the emptiest domain',
      nodes: populatedBy({ a1: webs(1), b1: webs(2) }),
      change: { removed: webs(1) },
      fit: ['a1', 'b1'],
    },
  ])('$name', ({ nodes, spreads = [ZONE], pod = {}, change, fit }) => {
    const incoming = placedPod({ ...pod, spec: { ...pod.spec, topologySpreadConstraints: spreads } });
    const ssdOnly = nodes.some(({ node }) => node.metadata.labels?.['disk'] === 'ssd');
    const state = spreadState(
      incoming,
      populated(nodes),
      ({ metadata }) => !ssdOnly || metadata.labels?.['disk'] === 'ssd',
    );
    const fitting = nodes.filter(({ node }) => !spreadRefusal(state, node, change));
    expect(fitting.map(({ node }) => node.metadata.name)).toEqual(fit);
  });

  it('X-01, X-02 says whether other pods that leave can help', () => {
    const nodes = populatedBy({ a1: webs(1), b1: [] });
    const incoming = placedPod({ spec: { topologySpreadConstraints: [ZONE] } });
    const state = spreadState(incoming, populated(nodes), () => true);
    const refusals = ['a1', 'x'].map((name) =>
      spreadRefusal(state, name === 'x' ? aNode({ name }) : zoned(name)),
    );
    expect(refusals).toEqual([
      { reasons: ["node(s) didn't match pod topology spread constraints"], isResolvable: true },
      {
        reasons: ["node(s) didn't match pod topology spread constraints (missing required label)"],
        isResolvable: false,
      },
    ]);
  });
});

function tainted(name: string) {
  return { ...zoned(name), spec: { taints: [taint('x:NoSchedule')] } };
}
