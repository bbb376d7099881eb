import { describe, expect, test } from 'vitest';
import type { Node } from '../../../../shared/kube/types/core.ts';
import type { Condition } from '../../../../shared/kube/types/meta.ts';
import type { NodeLifecycleConfig } from '../../../../shared/settings/node-lifecycle.ts';
import { aNode, aPod, at, ready, zoneLabels } from '../../../support/objects/domain-objects.ts';
import { NodeLifecycleScenario, noExecuteKeys } from '../../../support/upstream/node-lifecycle-scenario.ts';
import { UPSTREAM_TEST_CONFIG } from '../../../support/upstream/upstream-config.ts';

const T0 = at('2015-01-01T12:00:00Z');
const HOUR = 3_600_000;
const Z1 = 'r1:\0:z1';
const Z2 = 'r1:\0:z2';
const FAR = 'r2:\0:z2';
const Full = 'FullDisruption';
const Partial = 'PartialDisruption';
const Normal = 'Normal';

const LABELS: Readonly<Record<string, Readonly<Record<string, string>> | undefined>> = {
  '': undefined,
  [Z1]: zoneLabels('r1', 'z1'),
  [Z2]: zoneLabels('r1', 'z2'),
  [FAR]: zoneLabels('r2', 'z2'),
};

type Update = 'H' | 'U' | 'E';

const UPDATES: Readonly<Record<Update, readonly Condition[]>> = {
  H: [ready('True', T0 + HOUR, T0)],
  U: [ready('Unknown', T0)],
  E: [],
};

const inZone = (
  zone: string,
  status: Condition['status'] | 'none',
  extra: Record<string, string> = {},
): Node => {
  const labels = LABELS[zone];
  return aNode({
    created: T0,
    ...(labels === undefined ? {} : { labels: { ...labels, ...extra } }),
    ...(status === 'none' ? {} : { conditions: [ready(status, T0)] }),
  });
};

const excluded = (zone: string): Node =>
  inZone(zone, 'True', { 'node.kubernetes.io/exclude-disruption': '' });

const named = (nodes: readonly Node[]): Node[] =>
  nodes.map((node, index) => ({ ...node, metadata: { ...node.metadata, name: `node${index}` } }));

const run = (nodes: readonly Node[], updates: readonly Update[], config: NodeLifecycleConfig) => {
  const scenario = new NodeLifecycleScenario(config, T0);
  for (const node of named(nodes)) scenario.add(node, [aPod({ nodeName: node.metadata.name })]);
  scenario.monitor();
  const initial = scenario.zoneStates();
  scenario.advance(HOUR);
  for (const [index, update] of updates.entries()) scenario.post(`node${index}`, UPDATES[update]);
  scenario.monitor();
  const following = scenario.zoneStates();
  scenario.taint();
  return { initial, following, tainted: noExecuteKeys(scenario.node('node0')).length > 0 };
};

describe('zone states over two passes', () => {
  const source = 'kubernetes v1.34 `TestMonitorNodeHealth`';
  test.each([
    {
      name: 'one ready node without zone labels stays Normal',
      source,
      nodes: [inZone('', 'True')],
      initial: { '': Normal },
      updates: ['H'] as const,
      following: { '': Normal },
    },
    {
      name: 'a zone that gets its node back leaves full disruption, the other one stays',
      source,
      nodes: [inZone(Z1, 'Unknown'), inZone(Z2, 'Unknown')],
      initial: { [Z1]: Full, [Z2]: Full },
      updates: ['U', 'H'] as const,
      following: { [Z1]: Full, [Z2]: Normal },
    },
    {
      name: 'nodes without conditions count as not ready, and three of four make the zone partial',
      source,
      nodes: [inZone(Z1, 'none'), inZone(Z1, 'none'), inZone(Z1, 'none'), inZone(Z1, 'none')],
      initial: { [Z1]: Full },
      updates: ['U', 'U', 'U', 'H'] as const,
      following: { [Z1]: Partial },
    },
    {
      name: 'two of five down is Normal, three of five is partial',
      source,
      nodes: [
        inZone(Z1, 'Unknown'),
        inZone(Z1, 'Unknown'),
        inZone(Z1, 'True'),
        inZone(Z1, 'True'),
        inZone(Z1, 'True'),
      ],
      initial: { [Z1]: Normal },
      updates: ['U', 'U', 'U', 'H', 'H'] as const,
      following: { [Z1]: Partial },
    },
    {
      name: 'the last ready node of a zone takes it from Normal to full disruption',
      source,
      nodes: [inZone(Z1, 'Unknown'), inZone(Z1, 'Unknown'), inZone(Z1, 'True')],
      initial: { [Z1]: Normal },
      updates: ['U', 'U', 'U'] as const,
      following: { [Z1]: Full },
    },
    {
      name: 'a full zone beside a living one keeps its state',
      source,
      nodes: [inZone(Z1, 'Unknown'), inZone(Z2, 'True')],
      initial: { [Z1]: Full, [Z2]: Normal },
      updates: ['U', 'H'] as const,
      following: { [Z1]: Full, [Z2]: Normal },
    },
    {
      name: 'two full zones of two regions stay full',
      source,
      nodes: [inZone(Z1, 'Unknown'), inZone(FAR, 'Unknown')],
      initial: { [Z1]: Full, [FAR]: Full },
      updates: ['U', 'U'] as const,
      following: { [Z1]: Full, [FAR]: Full },
    },
    {
      name: 'a node that loses its conditions counts as not ready',
      source,
      nodes: [inZone('', 'True')],
      initial: { '': Normal },
      updates: ['E'] as const,
      following: { '': Full },
    },
    {
      name: 'an excluded ready node does not keep its zone alive',
      source,
      nodes: [inZone(Z1, 'Unknown'), excluded(Z1)],
      initial: { [Z1]: Full },
      updates: ['U', 'H'] as const,
      following: { [Z1]: Full },
    },
  ])('$name', ({ nodes, updates, initial, following }) => {
    const result = run(nodes, updates, UPSTREAM_TEST_CONFIG);
    expect({ initial: result.initial, following: result.following }).toEqual({ initial, following });
  });
});

describe('whether a node may be tainted NoExecute after two passes', () => {
  const source = 'kubernetes v1.14 `TestMonitorNodeHealthEvictPodsWithDisruption`';
  const fiveNodes = (['Unknown', 'Unknown', 'Unknown', 'True', 'True'] as const).map((s) => inZone(Z1, s));
  const plainRate = { ...UPSTREAM_TEST_CONFIG, largeClusterSizeThreshold: 0 };
  test.each([
    {
      name: 'not when all nodes of the only zone are down',
      source,
      nodes: [inZone(Z1, 'Unknown'), inZone(Z1, 'Unknown')],
      updates: ['U', 'U'] as const,
      initial: { [Z1]: Full },
      following: { [Z1]: Full },
      tainted: false,
    },
    {
      name: 'not when all zones are down',
      source,
      nodes: [inZone(Z1, 'Unknown'), inZone(FAR, 'Unknown')],
      updates: ['U', 'U'] as const,
      initial: { [Z1]: Full, [FAR]: Full },
      following: { [Z1]: Full, [FAR]: Full },
      tainted: false,
    },
    {
      name: 'in a full zone while another zone lives',
      source,
      nodes: [inZone(Z1, 'Unknown'), inZone(Z2, 'True')],
      updates: ['U', 'H'] as const,
      initial: { [Z1]: Full, [Z2]: Normal },
      following: { [Z1]: Full, [Z2]: Normal },
      tainted: true,
    },
    {
      name: 'not when the only living node is excluded from the statistics',
      source,
      nodes: [inZone(Z1, 'Unknown'), excluded(Z1)],
      updates: ['U', 'H'] as const,
      initial: { [Z1]: Full },
      following: { [Z1]: Full },
      tainted: false,
    },
    {
      name: 'as soon as another zone has come back to life',
      source,
      nodes: [inZone(Z1, 'Unknown'), inZone(Z2, 'Unknown')],
      updates: ['U', 'H'] as const,
      initial: { [Z1]: Full, [Z2]: Full },
      following: { [Z1]: Full, [Z2]: Normal },
      tainted: true,
    },
    {
      name: 'in a partial zone whose reduced rate is the primary rate',
      source,
      nodes: fiveNodes,
      updates: ['U', 'U', 'U', 'H', 'H'] as const,
      initial: { [Z1]: Partial },
      following: { [Z1]: Partial },
      tainted: true,
      config: plainRate,
    },
    {
      name: 'not in a small partial zone by the real rule',
      source: 'kubernetes v1.34 `ReducedQPSFunc`',
      nodes: fiveNodes,
      updates: ['U', 'U', 'U', 'H', 'H'] as const,
      initial: { [Z1]: Partial },
      following: { [Z1]: Partial },
      tainted: false,
    },
  ])('$name', ({ nodes, updates, initial, following, tainted, config }) => {
    expect(run(nodes, updates, config ?? UPSTREAM_TEST_CONFIG)).toEqual({ initial, following, tainted });
  });
});
