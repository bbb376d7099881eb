/** The fields of a pod's spec that the scheduler reads. */
import type { NodeAffinity } from '../../../kube/types/affinity.ts';
import type { Amounts, Pod, PodSpec } from '../../../kube/types/core.ts';

/** A port of a container. */
export interface ContainerPort {
  readonly hostPort?: number;
  readonly hostIP?: string;
  readonly protocol?: string;
}

/** A container or an init container. */
export interface Container {
  readonly name?: string;
  readonly image?: string;
  readonly restartPolicy?: string;
  readonly resources?: { readonly requests?: Amounts; readonly limits?: Amounts };
  readonly ports?: readonly ContainerPort[];
}

/** A volume of a pod: through a claim, or by an older source whose disk only one node can use. */
export interface PodVolume {
  readonly name?: string;
  readonly persistentVolumeClaim?: { readonly claimName?: string };
  readonly ephemeral?: unknown;
  readonly [source: string]: unknown;
}

/** What the scheduler reads of a pod's spec. */
export interface SchedulingSpec extends PodSpec {
  readonly containers?: readonly Container[];
  readonly initContainers?: readonly Container[];
  readonly overhead?: Amounts;
  readonly resources?: { readonly requests?: Amounts };
  readonly volumes?: readonly PodVolume[];
  readonly nodeSelector?: Readonly<Record<string, string>>;
  readonly affinity?: { readonly nodeAffinity?: NodeAffinity };
  readonly schedulerName?: string;
  readonly schedulingGates?: readonly unknown[];
  readonly priority?: number;
  readonly preemptionPolicy?: string;
}

/** The spec of a stored pod; validation has checked the types of these fields. */
export const schedulingSpec = ({ spec }: Pod): SchedulingSpec => spec;

/** Whether an init container runs as long as the pod: a sidecar. */
export const isSidecar = ({ restartPolicy }: Container): boolean => restartPolicy === 'Always';
