/** Nodes as a kubelet on EC2 reports them: their sizes are what the bench is about. */
import { createHash } from 'node:crypto';
import type { Node } from '../../../shared/kube/types/core.ts';
import type { Condition } from '../../../shared/kube/types/meta.ts';
import { toTime } from '../../../shared/kube/values/time.ts';

/** A Tuesday in 2026. */
export const T0 = 1_767_571_200_000;
export const HEARTBEAT_EXPIRES_AT = 4_000_000_000_000;

/** An EC2 private DNS name of 27 or 28 characters. */
export const nodeName = (index: number): string =>
  `ip-10-${index >> 14}-${100 + ((index >> 7) & 127)}-${10 + (index & 127)}.ec2.internal`;

/** A UUID that is the same in each run. */
export const uidOf = (name: string): string => {
  const hex = createHash('sha256').update(name).digest('hex');
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20, 32)].join(
    '-',
  );
};

const CONDITIONS = [
  ['MemoryPressure', 'False', 'KubeletHasSufficientMemory', 'kubelet has sufficient memory available'],
  ['DiskPressure', 'False', 'KubeletHasNoDiskPressure', 'kubelet has no disk pressure'],
  ['PIDPressure', 'False', 'KubeletHasSufficientPID', 'kubelet has sufficient PID available'],
  ['Ready', 'True', 'KubeletReady', 'kubelet is posting ready status'],
] as const;

/** The four conditions that a kubelet posts. */
export const kubeletConditions = (at: number): readonly Condition[] =>
  CONDITIONS.map(([type, status, reason, message]) => ({
    type,
    status,
    lastHeartbeatTime: toTime(at),
    lastTransitionTime: toTime(T0),
    reason,
    message,
  }));

const imageOf = (name: string, index: number) => {
  const digest = createHash('sha256').update(`${name}/${index}`).digest('hex');
  const repository = `registry.example.com/platform/component-${index}`;
  return {
    names: [`${repository}@sha256:${digest}`, `${repository}:v1.${index}.0`],
    sizeBytes: Number.parseInt(digest.slice(0, 7), 16),
  };
};

const labelsOf = (name: string, zone: string): Readonly<Record<string, string>> => ({
  'beta.kubernetes.io/arch': 'arm64',
  'beta.kubernetes.io/os': 'linux',
  'kubernetes.io/arch': 'arm64',
  'kubernetes.io/hostname': name,
  'kubernetes.io/os': 'linux',
  'node.kubernetes.io/instance-type': 'm7g.xlarge',
  'topology.kubernetes.io/region': 'us-east-1',
  'topology.kubernetes.io/zone': zone,
});

const RESOURCES = {
  cpu: '4',
  'ephemeral-storage': '83873772Ki',
  'hugepages-2Mi': '0',
  memory: '15896988Ki',
  pods: '58',
};

const nodeInfoOf = (name: string) => ({
  machineID: uidOf(`${name}/machine`).replaceAll('-', ''),
  systemUUID: uidOf(`${name}/system`),
  bootID: uidOf(`${name}/boot`),
  kernelVersion: '6.12.40-63.114.amzn2023.aarch64',
  osImage: 'Amazon Linux 2023.8.20250818',
  containerRuntimeVersion: 'containerd://2.1.4',
  kubeletVersion: 'v1.34.4',
  kubeProxyVersion: '',
  operatingSystem: 'linux',
  architecture: 'arm64',
});

export interface NodeShape {
  readonly zone?: string;
  /** 14 make a node of 5 KB. */
  readonly images?: number;
  readonly at?: number;
}

/** A registered node that has posted its status. */
export const aKubeletNode = (
  name: string,
  { zone = 'us-east-1a', images = 14, at = T0 }: NodeShape = {},
): Node => ({
  apiVersion: 'v1',
  kind: 'Node',
  metadata: { name, uid: uidOf(name), creationTimestamp: toTime(T0), labels: labelsOf(name, zone) },
  spec: { providerID: `aws:///${zone}/i-${uidOf(name).replaceAll('-', '').slice(0, 17)}` },
  status: {
    conditions: kubeletConditions(at),
    addresses: [
      { type: 'InternalIP', address: '10.100.100.100' },
      { type: 'InternalDNS', address: name },
      { type: 'Hostname', address: name },
    ],
    capacity: RESOURCES,
    allocatable: RESOURCES,
    nodeInfo: nodeInfoOf(name),
    images: Array.from({ length: images }, (_, index) => imageOf(name, index)),
    daemonEndpoints: { kubeletEndpoint: { Port: 10250 } },
  },
});
