/** What the runtime is told of a pod. Source: kubernetes v1.34 pkg/kubelet/kuberuntime `generatePodSandboxConfig`. */

import type { AgentPod } from '../containers/agent-pod.ts';
import type { Container } from '../containers/container.ts';
import { sandboxLabels } from './labels.ts';
import type { LinuxResources } from './messages/linux.ts';
import type { PodSandboxConfig } from './messages/sandboxes.ts';
import { type DnsFacts, podDns } from './pod-dns.ts';
import { contextOf, sandboxSecurity } from './security-context.ts';

export interface SandboxFacts {
  readonly pod: AgentPod;
  /** Which agent it belongs to. */
  readonly agent: string;
  /** How many sandboxes the pod had before. */
  readonly attempt: number;
  readonly hostname: string;
  readonly logFolder: string;
  readonly cgroupParent: string;
  readonly resources: LinuxResources;
  readonly dns: DnsFacts;
}

interface Port {
  readonly containerPort?: number;
  readonly hostPort?: number;
  readonly hostIP?: string;
  readonly protocol?: string;
}

const PROTOCOLS = ['TCP', 'UDP', 'SCTP'] as const;

/** Source: `MakePortMappings`. */
const portsOf = (container: Container) =>
  ((container['ports'] ?? []) as readonly Port[]).map(
    ({ containerPort = 0, hostPort = 0, hostIP, protocol }) => ({
      containerPort,
      hostPort,
      hostIp: hostIP ?? '',
      protocol: PROTOCOLS.find((one) => one === protocol) ?? 'TCP',
    }),
  );

/** A pod of the host's network has the host's name. */
const hostnameOf = ({ pod, hostname }: SandboxFacts) => (pod.spec.hostNetwork === true ? {} : { hostname });

export const sandboxConfig = (facts: SandboxFacts): PodSandboxConfig => {
  const { pod, agent, attempt, logFolder, cgroupParent, resources, dns } = facts;
  const { name, namespace = '', uid = '', annotations = {} } = pod.metadata;
  const { sysctls = [] } = contextOf(pod.spec);
  return {
    metadata: { name, namespace, uid, attempt },
    ...hostnameOf(facts),
    logDirectory: logFolder,
    dnsConfig: podDns(pod, dns),
    portMappings: pod.spec.containers.flatMap(portsOf),
    labels: sandboxLabels(pod, agent),
    annotations,
    linux: {
      cgroupParent,
      securityContext: sandboxSecurity(pod),
      sysctls: Object.fromEntries(sysctls.map((one) => [one.name, one.value])),
      resources,
    },
  };
};
