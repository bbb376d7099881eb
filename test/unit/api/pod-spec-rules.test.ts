import { describe, expect, it } from 'vitest';
import type { Pod, PodSpec } from '../../../shared/api/core.ts';
import { defaultPod } from '../../../shared/api/defaults/pod.ts';
import { validatePod } from '../../../shared/api/validation/pod.ts';

const CONTAINER = { name: 'c', image: 'i' };

const faultsOf = (spec: PodSpec): readonly string[] => {
  const pod: Pod = defaultPod({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'p', namespace: 'default' },
    spec: { containers: [CONTAINER], ...spec },
  });
  return validatePod(pod).map(({ field, message }) => `${field}: ${message}`);
};

const check = (_name: string, spec: PodSpec, expected: readonly string[]): void => {
  expect(faultsOf(spec)).toEqual(expected);
};

const port = (hostPort: number, hostIP?: string) => ({ containerPort: 80, hostPort, hostIP });

describe('containers of one Pod', () => {
  it.each<[string, PodSpec, readonly string[]]>([
    [
      'take a port of the machine once',
      {
        containers: [
          { ...CONTAINER, ports: [port(1)] },
          { name: 'd', image: 'i', ports: [port(1)] },
        ],
      },
      ['spec.containers[1].ports[0].hostPort: Duplicate value: "TCP//1"'],
    ],
    [
      'may take it on another address',
      { containers: [{ ...CONTAINER, ports: [port(1), port(1, '::1')] }] },
      [],
    ],
    [
      'have the same port inside and outside on the machine’s network',
      { hostNetwork: true, containers: [{ ...CONTAINER, ports: [port(1)] }] },
      [
        'spec.containers[0].ports[0].hostPort: Invalid value: 1: must match `containerPort` when `hostNetwork` is true',
      ],
    ],
    [
      'have no probes when they run before the others',
      { initContainers: [{ name: 'i', image: 'i', readinessProbe: { exec: { command: ['a'] } } }] },
      [
        'spec.initContainers[0].readinessProbe: Forbidden: may not be set for init containers without restartPolicy=Always',
      ],
    ],
    [
      'have probes when they run along with the others',
      {
        initContainers: [
          { name: 'i', image: 'i', restartPolicy: 'Always', readinessProbe: { exec: { command: ['a'] } } },
        ],
      },
      [],
    ],
    [
      'have names without dots',
      { containers: [{ name: 'a.b', image: 'i' }] },
      ['spec.containers[0].name: Invalid value: "a.b": must not contain dots'],
    ],
    [
      'have images without spaces around them, which is told last',
      { hostname: 'a.b', containers: [{ name: 'c', image: ' i' }] },
      [
        'spec.hostname: Invalid value: "a.b": must not contain dots',
        'spec.containers[0].image: Invalid value: " i": must not have leading or trailing whitespace',
      ],
    ],
  ])('%s', check);
});

const NEEDED = 'requiredDuringSchedulingIgnoredDuringExecution';
const WISHED = 'preferredDuringSchedulingIgnoredDuringExecution';

describe('affinity', () => {
  it.each<[string, PodSpec, readonly string[]]>([
    [
      'to Pods has a topology',
      { affinity: { podAffinity: { [NEEDED]: [{}] } } },
      [
        `spec.affinity.podAffinity.${NEEDED}[0].topologyKey: Required value: can not be empty`,
        `spec.affinity.podAffinity.${NEEDED}[0].topologyKey: Invalid value: "": name part must be non-empty`,
        expect.stringContaining('name part must consist of'),
      ],
    ],
    [
      'to Pods has a weight when it is wished for',
      {
        affinity: { podAntiAffinity: { [WISHED]: [{ weight: 101, podAffinityTerm: { topologyKey: 'a' } }] } },
      },
      [`spec.affinity.podAntiAffinity.${WISHED}[0].weight: Invalid value: 101: must be in the range 1-100`],
    ],
    [
      'to Pods has label keys only with a selector',
      { affinity: { podAffinity: { [NEEDED]: [{ topologyKey: 'a', matchLabelKeys: ['x'] }] } } },
      [
        `spec.affinity.podAffinity.${NEEDED}[0].matchLabelKeys: Forbidden: must not be specified when labelSelector is not set`,
      ],
    ],
    [
      'to Pods does not want a label’s value and another one',
      {
        affinity: {
          podAffinity: {
            [NEEDED]: [
              { topologyKey: 'a', labelSelector: {}, matchLabelKeys: ['x'], mismatchLabelKeys: ['x'] },
            ],
          },
        },
      },
      [
        `spec.affinity.podAffinity.${NEEDED}[0].matchLabelKeys[0]: Invalid value: "x": exists in both matchLabelKeys and mismatchLabelKeys`,
      ],
    ],
    [
      'to nodes knows one field, with one value',
      {
        affinity: {
          nodeAffinity: {
            [NEEDED]: {
              nodeSelectorTerms: [
                {
                  matchFields: [
                    { key: 'metadata.name', operator: 'In', values: ['a', 'b'] },
                    { key: 'spec.x', operator: 'Gt', values: ['1'] },
                  ],
                },
              ],
            },
          },
        },
      },
      [
        `spec.affinity.nodeAffinity.${NEEDED}.nodeSelectorTerms[0].matchFields[0].values: Required value: must be only one value when \`operator\` is 'In' or 'NotIn' for node field selector`,
        `spec.affinity.nodeAffinity.${NEEDED}.nodeSelectorTerms[0].matchFields[1].operator: Invalid value: "Gt": not a valid selector operator`,
        `spec.affinity.nodeAffinity.${NEEDED}.nodeSelectorTerms[0].matchFields[1].key: Invalid value: "spec.x": not a valid field selector key`,
      ],
    ],
  ])('%s', check);
});

describe('spread', () => {
  it.each<[string, object, readonly string[]]>([
    [
      'knows minimal domains only as a rule',
      { whenUnsatisfiable: 'ScheduleAnyway', minDomains: 1 },
      [
        'spec.topologySpreadConstraints[0].minDomains: Invalid value: 1: can only use minDomains if whenUnsatisfiable=DoNotSchedule, not ScheduleAnyway',
      ],
    ],
    [
      'knows two ways to count nodes',
      { nodeTaintsPolicy: 'Odd' },
      [
        'spec.topologySpreadConstraints[0].nodeTaintsPolicy: Unsupported value: "Odd": supported values: "Honor", "Ignore"',
      ],
    ],
    [
      'selects a label once',
      { matchLabelKeys: ['a'], labelSelector: { matchLabels: { a: 'b' } } },
      [
        'spec.topologySpreadConstraints[0].matchLabelKeys[0]: Invalid value: "a": exists in both matchLabelKeys and labelSelector',
      ],
    ],
  ])('%s', (_name, rest, expected) => {
    const spread = { maxSkew: 1, topologyKey: 'z', whenUnsatisfiable: 'DoNotSchedule', ...rest };
    expect(faultsOf({ topologySpreadConstraints: [spread] })).toEqual(expected);
  });

  it('is said once for each topology and rule', () => {
    const spread = { maxSkew: 1, topologyKey: 'z', whenUnsatisfiable: 'DoNotSchedule' };
    expect(faultsOf({ topologySpreadConstraints: [spread, spread] })).toEqual([
      'spec.topologySpreadConstraints[0].{topologyKey, whenUnsatisfiable}: Duplicate value: "{z, DoNotSchedule}"',
    ]);
  });
});

const IP = 'must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)';

describe('names that a Pod resolves on its own', () => {
  it.each<[string, PodSpec, readonly string[]]>([
    [
      'need a configuration',
      { dnsPolicy: 'None' },
      ['spec.dnsConfig: Required value: must provide `dnsConfig` when `dnsPolicy` is None'],
    ],
    [
      'need a server',
      { dnsPolicy: 'None', dnsConfig: {} },
      [
        'spec.dnsConfig.nameservers: Required value: must provide at least one DNS nameserver when `dnsPolicy` is None',
      ],
    ],
    [
      'have servers that are addresses',
      { dnsConfig: { nameservers: ['x'] } },
      [`spec.dnsConfig.nameservers[0]: Invalid value: "x": ${IP}`],
    ],
    [
      'may be searched below the root and with underscores',
      { dnsConfig: { searches: ['.', '_tcp.a.'] } },
      [],
    ],
    [
      'have options with names',
      { dnsConfig: { options: [{}] } },
      ['spec.dnsConfig.options[0]: Required value: must not be empty'],
    ],
    [
      'stand for addresses',
      { hostAliases: [{ ip: '', hostnames: ['a'] }] },
      [`spec.hostAliases[0].ip: Invalid value: "": ${IP}`],
    ],
  ])('%s', check);
});

const withSecurity = (securityContext: object): PodSpec => ({
  containers: [{ ...CONTAINER, securityContext }],
});
const S = 'spec.securityContext';
const ID = 'must be between 0 and 2147483647, inclusive';

describe('security', () => {
  it.each<[string, PodSpec, readonly string[]]>([
    [
      'has identities of 31 bits',
      { securityContext: { fsGroup: -1, runAsUser: 2 ** 31 } },
      [`${S}.fsGroup: Invalid value: -1: ${ID}`, `${S}.runAsUser: Invalid value: 2147483648: ${ID}`],
    ],
    [
      'has kernel settings by name, each once',
      { securityContext: { sysctls: [{ name: 'a' }, { name: 'a' }, {}] } },
      [`${S}.sysctls[1].name: Duplicate value: "a"`, `${S}.sysctls[2].name: Required value`],
    ],
    [
      'has no network settings on the machine’s network',
      { hostNetwork: true, securityContext: { sysctls: [{ name: 'net.a' }] } },
      [`${S}.sysctls[0].name: Invalid value: "net.a": may not be specified when 'hostNetwork' is true`],
    ],
    [
      'needs the file of a local profile',
      { securityContext: { seccompProfile: { type: 'Localhost' } } },
      [`${S}.seccompProfile.localhostProfile: Required value: must be set when seccomp type is Localhost`],
    ],
    [
      'has no file for another profile',
      { securityContext: { seccompProfile: { type: 'Unconfined', localhostProfile: 'a' } } },
      [
        `${S}.seccompProfile.localhostProfile: Invalid value: {"Type":"Unconfined","LocalhostProfile":"a"}: can only be set when seccomp type is Localhost`,
      ],
    ],
    [
      'keeps the file below its folder',
      withSecurity({ seccompProfile: { type: 'Localhost', localhostProfile: '../a' } }),
      [
        `spec.containers[0].securityContext.seccompProfile.localhostProfile: Invalid value: "../a": must not contain '..'`,
      ],
    ],
    [
      'names AppArmor profiles without spaces',
      { securityContext: { appArmorProfile: { type: 'Localhost', localhostProfile: ' a' } } },
      [`${S}.appArmorProfile.localhostProfile: Invalid value: " a": must not be padded with whitespace`],
    ],
    [
      'unmasks only for users of its own',
      withSecurity({ procMount: 'Unmasked' }),
      [
        'spec.containers[0].securityContext.procMount: Invalid value: "Unmasked": `hostUsers` must be false to use `Unmasked`',
      ],
    ],
    [
      'does not forbid what it grants',
      withSecurity({ allowPrivilegeEscalation: false, privileged: true }),
      [
        expect.stringMatching(
          /^spec\.containers\[0\]\.securityContext: Invalid value: \{"Capabilities":null,"Privileged":true,.*\}: cannot set `allowPrivilegeEscalation` to false and `privileged` to true$/,
        ),
      ],
    ],
    [
      'shares processes with the machine or among containers',
      { hostPID: true, shareProcessNamespace: true },
      [
        `${S}.shareProcessNamespace: Invalid value: true: ShareProcessNamespace and HostPID cannot both be enabled`,
      ],
    ],
    [
      'has users of its own or the machine’s namespaces',
      { hostUsers: false, hostIPC: true },
      ['spec.HostIPC: Forbidden: when `pod.Spec.HostUsers` is false'],
    ],
    [
      'is Windows’ own on Windows',
      { os: { name: 'windows' }, hostPID: true, ...withSecurity({ runAsUser: 1 }) },
      [
        'spec.hostPID: Forbidden: cannot be set for a windows pod',
        'spec.containers[0].securityContext.runAsUser: Forbidden: cannot be set for a windows pod',
      ],
    ],
    [
      'is not Windows’ on Linux',
      { os: { name: 'linux' }, securityContext: { windowsOptions: {} } },
      [`${S}.windowsOptions: Forbidden: windows options cannot be set for a linux pod`],
    ],
    [
      'knows two systems',
      { os: { name: 'plan9' } },
      ['spec.os: Unsupported value: "plan9": supported values: "linux", "windows"'],
    ],
  ])('%s', check);
});

const mounting = (mount: object): PodSpec => ({
  volumes: [{ name: 'v', emptyDir: {} }],
  containers: [{ ...CONTAINER, volumeMounts: [{ name: 'v', mountPath: '/a', ...mount }] }],
});
const MOUNT = 'spec.containers[0].volumeMounts[0]';
const MODE = 'must be a number between 0 and 0777 (octal), both inclusive';

describe('files and memory', () => {
  it.each<[string, PodSpec, readonly string[]]>([
    [
      'stay below their volume',
      mounting({ subPath: '../b' }),
      [`${MOUNT}.subPath: Invalid value: "../b": must not contain '..'`],
    ],
    [
      'have one path',
      mounting({ subPath: 'a', subPathExpr: 'b' }),
      [`${MOUNT}.subPathExpr: Invalid value: "b": subPathExpr and subPath are mutually exclusive`],
    ],
    [
      'go both ways for the privileged',
      mounting({ mountPropagation: 'Bidirectional' }),
      [
        `${MOUNT}.mountPropagation: Forbidden: Bidirectional mount propagation is available only to privileged containers`,
      ],
    ],
    [
      'go three ways',
      mounting({ mountPropagation: 'Odd' }),
      [
        `${MOUNT}.mountPropagation: Unsupported value: "Odd": supported values: "Bidirectional", "HostToContainer", "None"`,
      ],
    ],
    [
      'are of a known kind on the machine',
      { volumes: [{ name: 'v', hostPath: { path: '/a', type: 'Odd' } }] },
      [
        expect.stringContaining(
          'spec.volumes[0].hostPath.type: Unsupported value: "Odd": supported values: "", "BlockDevice"',
        ),
      ],
    ],
    [
      'have a size',
      { volumes: [{ name: 'v', emptyDir: { sizeLimit: '-1' } }] },
      ['spec.volumes[0].emptyDir.sizeLimit: Forbidden: SizeLimit field must be a valid resource quantity'],
    ],
    [
      'are made of keys',
      {
        volumes: [
          { name: 'v', configMap: { name: 'c', defaultMode: 512, items: [{ mode: -1, path: '..a' }] } },
        ],
      },
      [
        `spec.volumes[0].configMap.defaultMode: Invalid value: 512: ${MODE}`,
        'spec.volumes[0].configMap.items[0].key: Required value',
        `spec.volumes[0].configMap.items[0].path: Invalid value: "..a": must not start with '..'`,
        `spec.volumes[0].configMap.items[0].mode: Invalid value: -1: ${MODE}`,
      ],
    ],
    [
      'come in huge pages only along with others',
      { containers: [{ ...CONTAINER, resources: { limits: { 'hugepages-2Mi': '2Mi' } } }] },
      ['spec.containers[0].resources: Forbidden: HugePages require cpu or memory'],
    ],
  ])('%s', check);
});
