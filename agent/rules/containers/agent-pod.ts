/** A pod as the agent reads it: the API's object, with the fields that the agent acts on. */
import type { Pod, PodPhase, PodSpec, PodStatus } from '../../../shared/kube/types/core.ts';
import type { Condition } from '../../../shared/kube/types/meta.ts';
import type { Container } from './container.ts';
import type { ContainerStatus } from './container-status.ts';

/** A condition of a pod. The agent sets no probe time, and the API answers with `null`. */
export interface PodCondition extends Condition {
  readonly lastProbeTime?: string | null;
}

export interface AgentPodSpec extends PodSpec {
  readonly containers: readonly Container[];
  readonly initContainers?: readonly Container[];
  /** Containers that were added to look into the running pod. They start once. */
  readonly ephemeralContainers?: readonly Container[];
  /** `Always` if absent. */
  readonly restartPolicy?: string;
  readonly readinessGates?: readonly { readonly conditionType: string }[];
  readonly hostNetwork?: boolean;
  readonly activeDeadlineSeconds?: number;
  readonly serviceAccountName?: string;
}

export interface AgentPodStatus extends PodStatus {
  readonly conditions?: readonly PodCondition[];
  readonly reason?: string;
  readonly message?: string;
  readonly startTime?: string;
  readonly observedGeneration?: number;
  readonly containerStatuses?: readonly ContainerStatus[];
  readonly initContainerStatuses?: readonly ContainerStatus[];
  readonly ephemeralContainerStatuses?: readonly ContainerStatus[];
  readonly hostIP?: string;
  readonly hostIPs?: readonly { readonly ip: string }[];
  readonly podIP?: string;
  readonly podIPs?: readonly { readonly ip: string }[];
  readonly qosClass?: string;
}

export interface AgentPod extends Pod {
  readonly spec: AgentPodSpec;
  readonly status?: AgentPodStatus;
}

/** Whether no container of the pod will run any more. */
export const isTerminalPhase = (phase: PodPhase | undefined): boolean =>
  phase === 'Succeeded' || phase === 'Failed';

/** Namespace and name of a pod, for people. */
export const podPath = ({ metadata }: Pod): string => `${metadata.namespace ?? ''}/${metadata.name}`;
