import { describe, expect, it } from 'vitest';
import { validatePod } from '../../../../shared/kinds/pods/validate-pod.ts';
import { defaultPod } from '../../../../shared/kube/defaults/pod.ts';
import type { Pod, PodSpec } from '../../../../shared/kube/types/core.ts';

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
      'may not use a host port twice',
      {
        containers: [
          { ...CONTAINER, ports: [port(1)] },
          { name: 'd', image: 'i', ports: [port(1)] },
        ],
      },
      ['spec.containers[1].ports[0].hostPort: Duplicate value: "TCP//1"'],
    ],
    [
      'may use the same host port on another address',
      { containers: [{ ...CONTAINER, ports: [port(1), port(1, '::1')] }] },
      [],
    ],
    [
      'have equal container and host ports on the host network',
      { hostNetwork: true, containers: [{ ...CONTAINER, ports: [port(1)] }] },
      [
        'spec.containers[0].ports[0].hostPort: Invalid value: 1: must match `containerPort` when `hostNetwork` is true',
      ],
    ],
    [
      'may leave the host port open on the host network, as templates do',
      { hostNetwork: true, containers: [{ ...CONTAINER, ports: [{ containerPort: 80, protocol: 'TCP' }] }] },
      [],
    ],
    [
      'have no probes if they are plain init containers',
      { initContainers: [{ name: 'i', image: 'i', readinessProbe: { exec: { command: ['a'] } } }] },
      [
        'spec.initContainers[0].readinessProbe: Forbidden: may not be set for init containers without restartPolicy=Always',
      ],
    ],
    [
      'may have probes if they are sidecars',
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
      'have images without outer spaces, which is reported last',
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
      'to Pods needs a topology key',
      { affinity: { podAffinity: { [NEEDED]: [{}] } } },
      [
        `spec.affinity.podAffinity.${NEEDED}[0].topologyKey: Required value: can not be empty`,
        `spec.affinity.podAffinity.${NEEDED}[0].topologyKey: Invalid value: "": name part must be non-empty`,
        expect.stringContaining('name part must consist of'),
      ],
    ],
    [
      'to Pods needs a weight if it is preferred',
      {
        affinity: { podAntiAffinity: { [WISHED]: [{ weight: 101, podAffinityTerm: { topologyKey: 'a' } }] } },
      },
      [`spec.affinity.podAntiAffinity.${WISHED}[0].weight: Invalid value: 101: must be in the range 1-100`],
    ],
    [
      'to Pods may have label keys only with a selector',
      { affinity: { podAffinity: { [NEEDED]: [{ topologyKey: 'a', matchLabelKeys: ['x'] }] } } },
      [
        `spec.affinity.podAffinity.${NEEDED}[0].matchLabelKeys: Forbidden: must not be specified when labelSelector is not set`,
      ],
    ],
    [
      'to Pods may not both match and mismatch a label key',
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
      'to nodes supports one field, with one value',
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

describe('a topology spread constraint', () => {
  it.each<[string, object, readonly string[]]>([
    [
      'may have minDomains only with DoNotSchedule',
      { whenUnsatisfiable: 'ScheduleAnyway', minDomains: 1 },
      [
        'spec.topologySpreadConstraints[0].minDomains: Invalid value: 1: can only use minDomains if whenUnsatisfiable=DoNotSchedule, not ScheduleAnyway',
      ],
    ],
    [
      'supports two inclusion policies',
      { nodeTaintsPolicy: 'Odd' },
      [
        'spec.topologySpreadConstraints[0].nodeTaintsPolicy: Unsupported value: "Odd": supported values: "Honor", "Ignore"',
      ],
    ],
    [
      'may not name a label in both selector and label keys',
      {
        matchLabelKeys: ['a'],
        labelSelector: {
          matchLabels: { a: 'b' },
          matchExpressions: [{ key: 'a', operator: 'In', values: ['b'] }],
        },
      },
      [
        'spec.topologySpreadConstraints[0][0]: Invalid value: "a": exists in both matchLabelKeys and labelSelector',
      ],
    ],
  ])('%s', (_name, rest, expected) => {
    const spread = { maxSkew: 1, topologyKey: 'z', whenUnsatisfiable: 'DoNotSchedule', ...rest };
    expect(faultsOf({ topologySpreadConstraints: [spread] })).toEqual(expected);
  });

  it('is unique for each topology key and action', () => {
    const spread = { maxSkew: 1, topologyKey: 'z', whenUnsatisfiable: 'DoNotSchedule' };
    expect(faultsOf({ topologySpreadConstraints: [spread, spread] })).toEqual([
      'spec.topologySpreadConstraints[0].{topologyKey, whenUnsatisfiable}: Duplicate value: "{z, DoNotSchedule}"',
    ]);
  });
});

const IP = 'must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)';

describe('DNS settings of a Pod', () => {
  it.each<[string, PodSpec, readonly string[]]>([
    [
      'need a configuration with the policy None',
      { dnsPolicy: 'None' },
      ['spec.dnsConfig: Required value: must provide `dnsConfig` when `dnsPolicy` is None'],
    ],
    [
      'need a name server with the policy None',
      { dnsPolicy: 'None', dnsConfig: {} },
      [
        'spec.dnsConfig.nameservers: Required value: must provide at least one DNS nameserver when `dnsPolicy` is None',
      ],
    ],
    [
      'have IP addresses as name servers',
      { dnsConfig: { nameservers: ['x'] } },
      [`spec.dnsConfig.nameservers[0]: Invalid value: "x": ${IP}`],
    ],
    [
      'may have search domains with a final dot and underscores',
      { dnsConfig: { searches: ['.', '_tcp.a.'] } },
      [],
    ],
    [
      'need names for options',
      { dnsConfig: { options: [{}] } },
      ['spec.dnsConfig.options[0]: Required value: must not be empty'],
    ],
    [
      'need an IP address for each host alias',
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
      'has user and group ids of 31 bits',
      { securityContext: { fsGroup: -1, runAsUser: 2 ** 31 } },
      [`${S}.fsGroup: Invalid value: -1: ${ID}`, `${S}.runAsUser: Invalid value: 2147483648: ${ID}`],
    ],
    [
      'has valid and unique sysctls',
      { securityContext: { sysctls: [{ name: 'a' }, { name: 'a' }, {}] } },
      [`${S}.sysctls[1].name: Duplicate value: "a"`, `${S}.sysctls[2].name: Required value`],
    ],
    [
      'has no network sysctls on the host network',
      { hostNetwork: true, securityContext: { sysctls: [{ name: 'net.a' }] } },
      [`${S}.sysctls[0].name: Invalid value: "net.a": may not be specified when 'hostNetwork' is true`],
    ],
    [
      'needs a file for a local seccomp profile',
      { securityContext: { seccompProfile: { type: 'Localhost' } } },
      [`${S}.seccompProfile.localhostProfile: Required value: must be set when seccomp type is Localhost`],
    ],
    [
      'may not have a file for another seccomp profile',
      { securityContext: { seccompProfile: { type: 'Unconfined', localhostProfile: 'a' } } },
      [
        `${S}.seccompProfile.localhostProfile: Invalid value: {"Type":"Unconfined","LocalhostProfile":"a"}: can only be set when seccomp type is Localhost`,
      ],
    ],
    [
      'keeps the file of a profile below its folder',
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
      'may unmask /proc only with its own user namespace',
      withSecurity({ procMount: 'Unmasked' }),
      [
        'spec.containers[0].securityContext.procMount: Invalid value: "Unmasked": `hostUsers` must be false to use `Unmasked`',
      ],
    ],
    [
      'may not forbid privilege escalation and grant privileges',
      withSecurity({ allowPrivilegeEscalation: false, privileged: true }),
      [
        expect.stringMatching(
          /^spec\.containers\[0\]\.securityContext: Invalid value: \{"Capabilities":null,"Privileged":true,.*\}: cannot set `allowPrivilegeEscalation` to false and `privileged` to true$/,
        ),
      ],
    ],
    [
      'may not share processes both with the host and among containers',
      { hostPID: true, shareProcessNamespace: true },
      [
        `${S}.shareProcessNamespace: Invalid value: true: ShareProcessNamespace and HostPID cannot both be enabled`,
      ],
    ],
    [
      'may not combine its own user namespace with namespaces of the host',
      { hostUsers: false, hostIPC: true },
      ['spec.HostIPC: Forbidden: when `pod.Spec.HostUsers` is false'],
    ],
    [
      'may not set Linux fields on Windows',
      { os: { name: 'windows' }, hostPID: true, ...withSecurity({ runAsUser: 1 }) },
      [
        'spec.hostPID: Forbidden: cannot be set for a windows pod',
        'spec.containers[0].securityContext.runAsUser: Forbidden: cannot be set for a windows pod',
      ],
    ],
    [
      'may not set Windows fields on Linux',
      { os: { name: 'linux' }, securityContext: { windowsOptions: {} } },
      [`${S}.windowsOptions: Forbidden: windows options cannot be set for a linux pod`],
    ],
    [
      'supports two operating systems',
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

describe('mounts, volumes and memory', () => {
  it.each<[string, PodSpec, readonly string[]]>([
    [
      'have a subPath below their volume',
      mounting({ subPath: '../b' }),
      [`${MOUNT}.subPath: Invalid value: "../b": must not contain '..'`],
    ],
    [
      'have either subPath or subPathExpr',
      mounting({ subPath: 'a', subPathExpr: 'b' }),
      [`${MOUNT}.subPathExpr: Invalid value: "b": subPathExpr and subPath are mutually exclusive`],
    ],
    [
      'propagate in both directions only for privileged containers',
      mounting({ mountPropagation: 'Bidirectional' }),
      [
        `${MOUNT}.mountPropagation: Forbidden: Bidirectional mount propagation is available only to privileged containers`,
      ],
    ],
    [
      'support three kinds of mount propagation',
      mounting({ mountPropagation: 'Odd' }),
      [
        `${MOUNT}.mountPropagation: Unsupported value: "Odd": supported values: "Bidirectional", "HostToContainer", "None"`,
      ],
    ],
    [
      'have a known hostPath type',
      { volumes: [{ name: 'v', hostPath: { path: '/a', type: 'Odd' } }] },
      [
        expect.stringContaining(
          'spec.volumes[0].hostPath.type: Unsupported value: "Odd": supported values: "", "BlockDevice"',
        ),
      ],
    ],
    [
      'have a size limit that is not negative',
      { volumes: [{ name: 'v', emptyDir: { sizeLimit: '-1' } }] },
      ['spec.volumes[0].emptyDir.sizeLimit: Forbidden: SizeLimit field must be a valid resource quantity'],
    ],
    [
      'have valid file modes and paths for keys',
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
      'include huge pages only with cpu or memory',
      { containers: [{ ...CONTAINER, resources: { limits: { 'hugepages-2Mi': '2Mi' } } }] },
      ['spec.containers[0].resources: Forbidden: HugePages require cpu or memory'],
    ],
  ])('%s', check);
});
