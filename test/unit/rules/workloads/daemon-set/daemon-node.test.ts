import { describe, expect, it } from 'vitest';
import type { PodSpec } from '../../../../../shared/kube/types/core.ts';
import {
  daemonNodeRule,
  mayMatterTo,
  nodeNews,
} from '../../../../../shared/rules/workloads/daemon-set/daemon-node.ts';
import { daemonTolerations } from '../../../../../shared/rules/workloads/daemon-set/daemon-pod.ts';
import { aNode, taint } from '../../../../support/objects/domain-objects.ts';
import { aWorkload } from '../../../../support/objects/workload-objects.ts';

const NODE = 'node.kubernetes.io';
const aDaemon = (spec: PodSpec = {}) => aWorkload({ kind: 'DaemonSet', spec: { template: { spec } } });
const affinityTo = (key: string, operator: string, values?: readonly string[]) => ({
  affinity: {
    nodeAffinity: {
      requiredDuringSchedulingIgnoredDuringExecution: {
        nodeSelectorTerms: [{ matchExpressions: [{ key, operator, ...(values ? { values } : {}) }] }],
      },
    },
  },
});
const texts = (spec: PodSpec) =>
  daemonTolerations(spec).map(({ key = '', operator = '', effect = '', value = '' }) =>
    [key.replace(NODE, ''), operator, value, effect].join(' '),
  );

describe('daemonTolerations', () => {
  it('tolerates what the node controllers put on nodes, in this order (W-108)', () => {
    expect(texts({})).toEqual([
      '/not-ready Exists  NoExecute',
      '/unreachable Exists  NoExecute',
      '/disk-pressure Exists  NoSchedule',
      '/memory-pressure Exists  NoSchedule',
      '/pid-pressure Exists  NoSchedule',
      '/unschedulable Exists  NoSchedule',
    ]);
  });

  it('tolerates a missing network on the host network only (W-108)', () => {
    expect(texts({ hostNetwork: true }).at(-1)).toBe('/network-unavailable Exists  NoSchedule');
  });

  it('keeps those of the template first, and replaces one for the same taint (W-108)', () => {
    const tolerations = [
      { key: 'own', operator: 'Equal', value: 'x', effect: 'NoSchedule' },
      { key: `${NODE}/not-ready`, operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 5 },
    ];
    expect(texts({ tolerations }).slice(0, 3)).toEqual([
      'own Equal x NoSchedule',
      '/not-ready Exists  NoExecute',
      '/unreachable Exists  NoExecute',
    ]);
    expect(daemonTolerations({ tolerations })[1]).not.toHaveProperty('tolerationSeconds');
    expect(daemonTolerations({ tolerations })).toHaveLength(7);
  });
});

describe('daemonNodeRule', () => {
  const RUNS = [true, true];
  const STAYS = [false, true];
  const GOES = [false, false];
  it.each<[string, PodSpec, Parameters<typeof aNode>[0], readonly boolean[]]>([
    ['nothing special', {}, {}, RUNS],
    ['the template names the node', { nodeName: 'node0' }, {}, RUNS],
    ['the template names another node', { nodeName: 'other' }, {}, GOES],
    ['selected by a label', { nodeSelector: { disk: 'ssd' } }, { labels: { disk: 'ssd' } }, RUNS],
    ['not selected by a label', { nodeSelector: { disk: 'ssd' } }, { labels: { disk: 'hdd' } }, GOES],
    ['affinity that matches', affinityTo('disk', 'Exists'), { labels: { disk: 'x' } }, RUNS],
    ['affinity that does not match', affinityTo('disk', 'In', ['ssd']), { labels: { disk: 'x' } }, GOES],
    ['NoSchedule', {}, { taints: [taint('k=v:NoSchedule')] }, STAYS],
    ['NoExecute', {}, { taints: [taint('k=v:NoExecute')] }, GOES],
    ['PreferNoSchedule', {}, { taints: [taint('k=v:PreferNoSchedule')] }, RUNS],
    ['not ready, as a new node is', {}, { taints: [taint(`${NODE}/not-ready:NoSchedule`)] }, STAYS],
    ['not ready, as a lost node is', {}, { taints: [taint(`${NODE}/not-ready:NoExecute`)] }, RUNS],
    ['unreachable', {}, { taints: [taint(`${NODE}/unreachable:NoExecute`)] }, RUNS],
    ['cordoned', {}, { taints: [taint(`${NODE}/unschedulable:NoSchedule`)], unschedulable: true }, RUNS],
    ['memory pressure', {}, { taints: [taint(`${NODE}/memory-pressure:NoSchedule`)] }, RUNS],
    ['no network', {}, { taints: [taint(`${NODE}/network-unavailable:NoSchedule`)] }, STAYS],
    [
      'no network, host network',
      { hostNetwork: true },
      { taints: [taint(`${NODE}/network-unavailable:NoSchedule`)] },
      RUNS,
    ],
    ['both effects', {}, { taints: [taint('a=b:NoSchedule'), taint('k=v:NoExecute')] }, GOES],
    [
      'a toleration of all',
      { tolerations: [{ operator: 'Exists' }] },
      { taints: [taint('k=v:NoExecute')] },
      RUNS,
    ],
  ])('%s (W-109)', (_what, spec, node, [shouldRun, shouldContinue]) => {
    expect(daemonNodeRule(aDaemon(spec))(aNode(node))).toEqual({ shouldRun, shouldContinue });
  });
});

describe('news about nodes', () => {
  it('tells of labels and taints that came, went or changed, not of times (W-110)', () => {
    const before = aNode({
      labels: { a: '1', b: '1', c: '1' },
      taints: [taint('x:NoSchedule'), taint('y=1:NoExecute')],
    });
    const after = aNode({
      labels: { a: '1', b: '2', d: '1' },
      taints: [{ ...taint('y=1:NoExecute'), timeAdded: '2026-01-01T00:00:00Z' }, taint('z:NoSchedule')],
    });
    expect(nodeNews(before, after)).toEqual({
      labels: ['b', 'c', 'd'],
      taints: [
        { key: 'x', value: '', effect: 'NoSchedule' },
        { key: 'z', value: '', effect: 'NoSchedule' },
      ],
    });
    expect(nodeNews(after, after)).toEqual({ labels: [], taints: [] });
  });

  it.each<[string, PodSpec, readonly string[], string[], boolean]>([
    ['a label that nobody reads', {}, ['disk'], [], false],
    ['a label of the node selector', { nodeSelector: { disk: 'ssd' } }, ['disk'], [], true],
    ['a label of the affinity', affinityTo('disk', 'Exists'), ['disk'], [], true],
    ['a taint', {}, [], ['k=v:NoSchedule'], true],
    ['a taint that only prefers', {}, [], ['k=v:PreferNoSchedule'], false],
    ['a taint that is tolerated', {}, [], [`${NODE}/unreachable:NoExecute`], false],
  ])('%s matters to a DaemonSet: %j (W-110)', (_what, spec, labels, taints, expected) => {
    const news = { labels, taints: taints.map((text) => ({ value: '', ...taint(text) })) };
    expect(mayMatterTo(aDaemon(spec), news)).toBe(expected);
  });
});
