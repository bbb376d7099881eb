import { describe, expect, it } from 'vitest';
import type { NodeInfo } from '../../../../../shared/rules/scheduling/cluster/cluster.ts';
import { nodeInfo } from '../../../../../shared/rules/scheduling/cluster/cluster.ts';
import type { FilterPlugin } from '../../../../../shared/rules/scheduling/cluster/framework.ts';
import { nodeAffinityFilter } from '../../../../../shared/rules/scheduling/filters/node-affinity.ts';
import {
  nodeNameFilter,
  nodePortsFilter,
  nodeUnschedulableFilter,
} from '../../../../../shared/rules/scheduling/filters/node-filters.ts';
import { nodeResourcesFitFilter } from '../../../../../shared/rules/scheduling/filters/resources-fit.ts';
import { taintTolerationFilter } from '../../../../../shared/rules/scheduling/filters/taint-toleration.ts';
import { collides, hostPortsOf } from '../../../../../shared/rules/scheduling/pods/host-ports.ts';
import { nodeSelectorMatch } from '../../../../../shared/rules/scheduling/pods/node-selector.ts';
import type { CasePod } from '../../../../support/scheduling/recorded-cases.ts';
import { nodeOf, podOf } from '../../../../support/scheduling/recorded-cases.ts';
import { clusterOf } from '../../../../support/scheduling/scheduling-objects.ts';

const EMPTY = clusterOf([]);

const refusalBy = (plugin: FilterPlugin, pod: Omit<CasePod, 'name'>, info: NodeInfo) =>
  plugin.preFilter(podOf({ name: 'p', ...pod }), EMPTY)?.filter?.(info);

const plain = (short: Omit<Parameters<typeof nodeOf>[0], 'name'>, pods: readonly CasePod[] = []): NodeInfo =>
  nodeInfo(nodeOf({ name: 'n1', ...short }), pods.map(podOf));

describe('the filter NodeUnschedulable (F-01)', () => {
  const cordoned = plain({ unschedulable: true });
  const tolerations = [{ key: 'node.kubernetes.io/unschedulable', operator: 'Exists', effect: 'NoSchedule' }];

  it('refuses a cordoned node', () => {
    expect(refusalBy(nodeUnschedulableFilter, {}, cordoned)).toEqual({
      reasons: ['node(s) were unschedulable'],
      isResolvable: false,
    });
  });

  it('lets a pod pass that tolerates the taint of cordoned nodes', () => {
    expect(refusalBy(nodeUnschedulableFilter, { spec: { tolerations } }, cordoned)).toBeUndefined();
  });

  it('lets every other node pass', () => {
    expect(refusalBy(nodeUnschedulableFilter, {}, plain({}))).toBeUndefined();
  });
});

describe('the filter NodeName (F-02)', () => {
  it.each([
    ['n1', undefined],
    ['n2', { reasons: ["node(s) didn't match the requested node name"], isResolvable: false }],
  ])('judges n1 for a pod with nodeName %s', (on, refusal) => {
    expect(refusalBy(nodeNameFilter, { on }, plain({}))).toEqual(refusal);
  });
});

describe('the filter TaintToleration (F-03)', () => {
  const refused = { reasons: ['node(s) had untolerated taint(s)'], isResolvable: false };
  it.each([
    ['NoSchedule', undefined, refused],
    ['NoExecute', undefined, refused],
    ['PreferNoSchedule', undefined, undefined],
    ['NoSchedule', { key: 'a', operator: 'Exists' }, undefined],
    ['NoSchedule', { key: 'a', operator: 'Exists', effect: 'NoExecute' }, refused],
    ['NoSchedule', { key: 'a', value: 'other' }, refused],
    ['NoExecute', { operator: 'Exists' }, undefined],
  ] as const)('judges a:%s for %j', (effect, toleration, refusal) => {
    const spec = { tolerations: toleration ? [toleration] : [] };
    expect(
      refusalBy(taintTolerationFilter, { spec }, plain({ taints: [{ key: 'a', value: 'x', effect }] })),
    ).toEqual(refusal);
  });

  it('refuses a node if only one of two taints is tolerated', () => {
    const taints = ['a', 'b'].map((key) => ({ key, effect: 'NoSchedule' as const }));
    const spec = { tolerations: [{ key: 'a', operator: 'Exists' }] };
    expect(refusalBy(taintTolerationFilter, { spec }, plain({ taints }))).toEqual(refused);
  });
});

const match = (
  operator: string,
  values: readonly string[],
  value: string | undefined,
  key = 'gen',
): boolean =>
  nodeSelectorMatch({ nodeSelectorTerms: [{ matchExpressions: [{ key, operator, values }] }] })(
    nodeOf({ name: 'n1', labels: value === undefined ? {} : { gen: value } }),
  );

describe('nodeSelectorMatch (F-04)', () => {
  it.each([
    ['In', ['a', 'b'], 'b', true],
    ['In', ['a'], 'b', false],
    ['In', ['a'], undefined, false],
    ['In', [''], '', true],
    ['NotIn', ['a'], 'b', true],
    ['NotIn', ['a'], 'a', false],
    ['NotIn', ['a'], undefined, true],
    ['Exists', [], '', true],
    ['Exists', [], undefined, false],
    ['DoesNotExist', [], undefined, true],
    ['DoesNotExist', [], '', false],
    ['Gt', ['5'], '6', true],
    ['Gt', ['5'], '5', false],
    ['Gt', ['5'], '10', true],
    ['Gt', ['5'], 'x7', false],
    ['Gt', ['5'], undefined, false],
    ['Gt', ['-2'], '-1', true],
    ['Gt', ['5'], '+6', true],
    ['Gt', ['9223372036854775806'], '9223372036854775807', true],
    ['Gt', ['5'], '9223372036854775808', false],
    ['Gt', ['x'], '6', false],
    ['Lt', ['10'], '9', true],
    ['Lt', ['10'], '10', false],
    ['Lt', ['10'], '1.5', false],
    ['Other', ['10'], '10', false],
  ])('%s %j judges a label %s: %s', (operator, values, value, matches) => {
    expect(match(operator, values, value)).toBe(matches);
  });

  it('does not take inherited members for labels', () => {
    expect(match('Exists', [], undefined, 'constructor')).toBe(false);
  });

  const node = nodeOf({ name: 'n1', labels: { a: '1', b: '1' } });
  const has = (key: string) => ({ key, operator: 'Exists' });
  it.each([
    ['a term with all requirements met', [{ matchExpressions: [has('a'), has('b')] }], true],
    ['a term with one requirement not met', [{ matchExpressions: [has('a'), has('c')] }], false],
    ['one of two terms', [{ matchExpressions: [has('c')] }, { matchExpressions: [has('b')] }], true],
    ['an empty term', [{}], false],
    ['no term', [], false],
    ['the name', [{ matchFields: [{ key: 'metadata.name', operator: 'In', values: ['n1'] }] }], true],
    ['other names', [{ matchFields: [{ key: 'metadata.name', operator: 'NotIn', values: ['n1'] }] }], false],
    [
      'two names in one field',
      [{ matchFields: [{ key: 'metadata.name', operator: 'In', values: ['n1', 'n2'] }] }],
      false,
    ],
    ['another field', [{ matchFields: [{ key: 'metadata.uid', operator: 'In', values: ['n1'] }] }], false],
    [
      'field and label',
      [
        {
          matchExpressions: [has('c')],
          matchFields: [{ key: 'metadata.name', operator: 'In', values: ['n1'] }],
        },
      ],
      false,
    ],
  ])('judges %s', (_name, nodeSelectorTerms, matches) => {
    expect(nodeSelectorMatch({ nodeSelectorTerms })(node)).toBe(matches);
  });
});

const required = (...nodeSelectorTerms: readonly object[]) => ({
  spec: {
    affinity: { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms } } },
  },
});

const named = (...names: readonly string[]) => ({
  matchFields: names.map((name) => ({ key: 'metadata.name', operator: 'In', values: [name] })),
});

describe('the filter NodeAffinity', () => {
  const refused = { reasons: ["node(s) didn't match Pod's node affinity/selector"], isResolvable: false };
  const ssd = plain({ labels: { disk: 'ssd' } });
  const wantsHdd = { matchExpressions: [{ key: 'disk', operator: 'In', values: ['hdd'] }] };

  it.each([
    ['a node selector that matches', { spec: { nodeSelector: { disk: 'ssd' } } }, undefined],
    ['a node selector that does not', { spec: { nodeSelector: { disk: 'hdd' } } }, refused],
    ['required terms that do not match', required(wantsHdd), refused],
    [
      'a selector that matches and terms that do not',
      { spec: { nodeSelector: { disk: 'ssd' }, ...required(wantsHdd).spec } },
      refused,
    ],
    [
      'preferred terms only',
      {
        spec: {
          affinity: {
            nodeAffinity: {
              preferredDuringSchedulingIgnoredDuringExecution: [{ weight: 1, preference: wantsHdd }],
            },
          },
        },
      },
      undefined,
    ],
    ['nothing', {}, undefined],
  ])('judges %s (F-04)', (_name, pod, refusal) => {
    expect(refusalBy(nodeAffinityFilter, pod, ssd)).toEqual(refusal);
  });

  const namesOf = (pod: Omit<CasePod, 'name'>) =>
    nodeAffinityFilter.preFilter(podOf({ name: 'p', ...pod }), EMPTY);

  it.each([
    ['one term names a node', required(named('n1')), ['n1']],
    ['both terms name nodes', required(named('n1'), named('n2')), ['n1', 'n2']],
    ['one term has two names, the other one', required(named('n1', 'n2'), named('n3')), ['n3']],
    ['one term names none', required(named('n1'), wantsHdd), undefined],
  ])('restricts the nodes to those that are named when %s (F-05)', (_name, pod, names) => {
    const found = namesOf(pod);
    expect(found?.nodeNames && [...found.nodeNames]).toEqual(names);
    expect(found?.fault).toBeUndefined();
  });

  it('fails for all nodes when every term wants two names at once (F-06)', () => {
    expect(namesOf(required(named('n1', 'n2')))).toEqual({ fault: 'pod affinity terms conflict' });
  });
});

describe('host ports', () => {
  const port = (ip: string, protocol = 'TCP', number = 80) => ({ ip, protocol, port: number });
  it.each([
    ['0.0.0.0', '0.0.0.0', true],
    ['0.0.0.0', '10.0.0.1', true],
    ['10.0.0.1', '0.0.0.0', true],
    ['10.0.0.1', '10.0.0.1', true],
    ['10.0.0.1', '127.0.0.1', false],
  ])('collide on %s and %s: %s (N-08)', (a, b, isTaken) => {
    expect(collides(port(a), port(b))).toBe(isTaken);
  });

  it('do not collide with another protocol or another number (N-08)', () => {
    expect(collides(port('0.0.0.0'), port('0.0.0.0', 'UDP'))).toBe(false);
    expect(collides(port('0.0.0.0'), port('0.0.0.0', 'TCP', 81))).toBe(false);
  });

  it('are those of containers and sidecars, with defaults, not those of other init containers (N-08)', () => {
    const one = (name: string, hostPort: number, more = {}) => ({
      name,
      ports: [{ hostPort, containerPort: 1 }],
      ...more,
    });
    const spec = {
      containers: [one('a', 80), { name: 'b', ports: [{ containerPort: 9 }] }],
      initContainers: [one('s', 81, { restartPolicy: 'Always' }), one('i', 82)],
    };
    expect(hostPortsOf(podOf({ name: 'p', spec }))).toEqual([port('0.0.0.0'), port('0.0.0.0', 'TCP', 81)]);
  });

  it('keep pods off a node on which one of them is taken, and that can change (F-07)', () => {
    const taken = plain({}, [{ name: 'b', ports: [{ hostPort: 80 }] }]);
    const wants = (hostPort: number) =>
      refusalBy(nodePortsFilter, { ports: [{ hostPort: 79 }, { hostPort }] }, taken);
    expect(wants(80)).toEqual({
      reasons: ["node(s) didn't have free ports for the requested pod ports"],
      isResolvable: true,
    });
    expect(wants(81)).toBeUndefined();
  });
});

describe('the filter NodeResourcesFit (F-08)', () => {
  const node = (pods: readonly CasePod[] = [], alloc = {}) =>
    plain({ alloc: { cpu: '1', memory: '1Gi', pods: '2', 'example.com/gpu': '2', ...alloc } }, pods);
  const short = (reasons: readonly string[], isResolvable: boolean) => ({ reasons, isResolvable });
  const used = [{ name: 'b', req: { cpu: '600m', 'example.com/gpu': '1' } }];

  it.each([
    ['exact room', { cpu: '400m' }, used, undefined],
    ['one thousandth too much', { cpu: '401m' }, used, short(['Insufficient cpu'], true)],
    ['more than the node has', { cpu: '1001m' }, [], short(['Insufficient cpu'], false)],
    [
      'all shortages; one cannot be helped',
      { cpu: '1', memory: '2Gi' },
      used,
      short(['Insufficient cpu', 'Insufficient memory'], false),
    ],
    ['extended resources', { 'example.com/gpu': '2' }, used, short(['Insufficient example.com/gpu'], true)],
    [
      'a resource that the node lacks',
      { 'hugepages-2Mi': '2Mi' },
      [],
      short(['Insufficient hugepages-2Mi'], false),
    ],
    ['a request of zero of what the node lacks', { 'example.com/none': '0' }, [], undefined],
    ['the count of pods', {}, [{ name: 'b' }, { name: 'c' }], short(['Too many pods'], true)],
    [
      'the count of pods and a shortage',
      { cpu: '2' },
      [{ name: 'b' }, { name: 'c' }],
      short(['Too many pods', 'Insufficient cpu'], false),
    ],
    [
      'a resource that the pod does not ask for, overcommitted',
      { memory: '1Mi' },
      [{ name: 'b', req: { cpu: '2' } }],
      undefined,
    ],
  ])('judges %s', (_name, req, pods, refusal) => {
    expect(refusalBy(nodeResourcesFitFilter, { req }, node(pods as CasePod[]))).toEqual(refusal);
  });

  it('takes a node without a count of pods as full, and that other pods could leave', () => {
    expect(refusalBy(nodeResourcesFitFilter, {}, node([], { pods: null }))).toEqual(
      short(['Too many pods'], true),
    );
  });
});
