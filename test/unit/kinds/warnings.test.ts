import { expect, it } from 'vitest';
import { cidrWarnings, nodeWarnings } from '../../../shared/kinds/nodes/nodes.ts';
import { podWarnings } from '../../../shared/kinds/pods/warn-pod.ts';
import type { Node, Pod, PodSpec } from '../../../shared/kube/types/core.ts';

const NODE: Node = { apiVersion: 'v1', kind: 'Node', metadata: { name: 'n' } };
const POD: Pod = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'p' }, spec: {} };

const invalid = (value: string, use: string): string =>
  `f: non-standard CIDR value "${value}" will be considered invalid in a future Kubernetes release: use "${use}"`;
const ambiguous = (value: string, net: string, single: string): string =>
  `f: CIDR value "${value}" is ambiguous in this context (should be "${net}" or "${single}"?)`;
const canonical = (value: string, form: string): string =>
  `f: IPv6 CIDR value "${value}" should be in RFC 5952 canonical format ("${form}")`;

it.each([
  ['10.7.0.0/24', []],
  ['2001:db8::/64', []],
  ['::/0', []],
  ['10.7.0.8/24', [ambiguous('10.7.0.8/24', '10.7.0.0/24', '10.7.0.8/32')]],
  ['2001:db8::8/64', [ambiguous('2001:db8::8/64', '2001:db8::/64', '2001:db8::8/128')]],
  ['10.007.0.0/24', [invalid('10.007.0.0/24', '10.7.0.0/24')]],
  ['10.7.0.0/024', [invalid('10.7.0.0/024', '10.7.0.0/24')]],
  ['::ffff:10.7.0.0/120', [invalid('::ffff:10.7.0.0/120', '10.7.0.0/24')]],
  [
    '10.07.0.8/24',
    [ambiguous('10.07.0.8/24', '10.7.0.0/24', '10.7.0.8/32'), invalid('10.07.0.8/24', '10.7.0.0/24')],
  ],
  ['2001:DB8:0:0::/64', [canonical('2001:DB8:0:0::/64', '2001:db8::/64')]],
  ['1:0:0:2:0:0:0:0/64', [canonical('1:0:0:2:0:0:0:0/64', '1:0:0:2::/64')]],
  ['1:2:3:4:5:6:1.2.3.4/128', [canonical('1:2:3:4:5:6:1.2.3.4/128', '1:2:3:4:5:6:102:304/128')]],
  ['no address', []],
  ['1::2::3/64', []],
  ['1:2/64', []],
  ['10.0.0.0/33', []],
])('warns about the CIDR %s', (value, warnings) => {
  expect(cidrWarnings('f', value)).toEqual(warnings);
});

it('warns about deprecated fields of a Node', () => {
  const spec = { externalID: 'x', podCIDRs: ['10.7.0.0/24', '10.7.0.8/24'] };
  expect(nodeWarnings({ ...NODE, spec })).toEqual([
    'spec.externalID: this field is deprecated, and is unused by Kubernetes',
    ambiguous('10.7.0.8/24', '10.7.0.0/24', '10.7.0.8/32').replace('f:', 'spec.podCIDRs[1]:'),
  ]);
  expect(nodeWarnings(NODE)).toEqual([]);
});

const OS = 'beta.kubernetes.io/os';
const OS_WHY = 'deprecated since v1.14; use "kubernetes.io/os" instead';
const term = { matchExpressions: [{ key: 'a' }, { key: OS }] };
const twice = (value: object): PodSpec => ({
  containers: [
    {},
    {
      env: [
        { name: 'X', value: 'a' },
        { name: 'X', ...value },
      ],
    },
  ],
});
const HIDDEN =
  'spec.containers[1].env[1]: hides previous definition of "X", which may be dropped when using apply';

it.each([
  ['nothing', { containers: [{ name: 'c' }] }, []],
  ['old labels', { nodeSelector: { [OS]: 'linux', other: 'x' } }, [`spec.nodeSelector[${OS}]: ${OS_WHY}`]],
  [
    'old labels in an affinity',
    {
      affinity: {
        nodeAffinity: {
          requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [term] },
          preferredDuringSchedulingIgnoredDuringExecution: [{ preference: term }],
        },
      },
    },
    [
      `spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms[0].matchExpressions[1].key: ${OS} is ${OS_WHY}`,
      `spec.affinity.nodeAffinity.preferredDuringSchedulingIgnoredDuringExecution[0].preference.matchExpressions[1].key: ${OS} is ${OS_WHY}`,
    ],
  ],
  [
    'spreading',
    { topologySpreadConstraints: [{ topologyKey: OS }] },
    [
      `spec.topologySpreadConstraints[0].topologyKey: ${OS} is ${OS_WHY}`,
      'spec.topologySpreadConstraints[0].labelSelector: a null labelSelector results in matching no pod',
    ],
  ],
  ['a variable that hides another', twice({ value: 'b' }), [HIDDEN]],
  ['a variable with valueFrom that hides another', twice({ valueFrom: {}, value: 'b$(X)' }), [HIDDEN]],
  ['a variable that refers only to itself', twice({ value: '$(X)' }), [HIDDEN]],
  ['nothing about a variable that builds on another', twice({ value: '$(X)b' }), []],
  [
    'repeated addresses',
    { hostAliases: [{ ip: '1' }, { ip: '1' }] },
    ['spec.hostAliases[1].ip: duplicate ip "1"'],
  ],
  [
    'repeated and empty secrets',
    { imagePullSecrets: [{ name: 's' }, { name: 's' }, {}] },
    [
      'spec.imagePullSecrets[1].name: duplicate name "s"',
      'spec.imagePullSecrets[2].name: invalid empty name ""',
    ],
  ],
  [
    'fractions of bytes',
    { initContainers: [{ resources: { limits: { memory: '1500m', cpu: '100m' } } }] },
    [
      'spec.initContainers[0].resources.limits[memory]: fractional byte value "1500m" is invalid, must be an integer',
    ],
  ],
] as readonly (readonly [string, PodSpec, readonly string[]])[])(
  'warns a pod’s author of %s',
  (_what, spec, warnings) => {
    expect(podWarnings({ ...POD, spec })).toEqual(warnings);
  },
);

it('warns about annotations without effect', () => {
  const annotations = { 'scheduler.alpha.kubernetes.io/critical-pod': '' };
  expect(podWarnings({ ...POD, metadata: { name: 'p', annotations } })).toEqual([
    'metadata.annotations[scheduler.alpha.kubernetes.io/critical-pod]: non-functional in v1.16+; use the "priorityClassName" field instead',
  ]);
});
