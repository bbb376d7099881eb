/** The parts of pods from which their status text, readiness and restarts are printed. */
import type { ApiObject, Condition } from '../../kube/types/meta.ts';

interface Terminated {
  readonly exitCode?: number;
  readonly signal?: number;
  readonly reason?: string;
  readonly finishedAt?: string | null;
}

/** A container status as printers read it. */
export interface ContainerStatus {
  readonly name: string;
  readonly ready?: boolean;
  readonly started?: boolean;
  readonly restartCount?: number;
  readonly state?: {
    readonly waiting?: { readonly reason?: string };
    readonly running?: object;
    readonly terminated?: Terminated;
  };
  readonly lastState?: { readonly terminated?: Terminated };
}

/** A pod as printers read it. */
export interface PrintedPod extends ApiObject {
  readonly spec?: {
    readonly nodeName?: string;
    readonly containers?: readonly object[];
    readonly initContainers?: readonly { readonly name: string; readonly restartPolicy?: string }[];
    readonly readinessGates?: readonly { readonly conditionType: string }[];
  };
  readonly status?: {
    readonly phase?: string;
    readonly reason?: string;
    readonly podIP?: string;
    readonly podIPs?: readonly { readonly ip: string }[];
    readonly nominatedNodeName?: string;
    readonly conditions?: readonly Condition[];
    readonly initContainerStatuses?: readonly ContainerStatus[];
    readonly containerStatuses?: readonly ContainerStatus[];
  };
}

/** Names of the init containers that keep running alongside the containers (`restartPolicy: Always`). */
export const sidecarsOf = ({ spec }: PrintedPod): ReadonlySet<string> =>
  new Set(
    (spec?.initContainers ?? []).filter((one) => one.restartPolicy === 'Always').map(({ name }) => name),
  );

/** Whether the pod's condition of this type is True. */
export const isTrue = ({ status }: PrintedPod, type: string): boolean =>
  status?.conditions?.some((condition) => condition.type === type && condition.status === 'True') ?? false;

/** Why a container ended: its reason, else its signal or exit code. */
export const endOf = ({ reason, signal, exitCode }: Terminated): string => {
  if (reason) return reason;
  return signal ? `Signal:${signal}` : `ExitCode:${exitCode ?? 0}`;
};

/** Whether the container terminated with exit code 0. */
export const endedWell = ({ state }: ContainerStatus): boolean =>
  state?.terminated !== undefined && (state.terminated.exitCode ?? 0) === 0;
