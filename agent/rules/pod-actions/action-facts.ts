/** What decides what is to be done for a pod, and what can be done. */
import type { EpochMs } from '../../../shared/kube/values/time.ts';
import type { AgentPod } from '../containers/agent-pod.ts';
import type { BackOff, BackOffLimits } from '../containers/back-off.ts';
import type { Container } from '../containers/container.ts';
import type { StopReason } from '../containers/grace.ts';
import { newestFirst, type RuntimeContainer } from '../containers/runtime-status.ts';
import type { ProbeResult } from '../probes/probe-kind.ts';

export interface ActionFacts {
  readonly pod: AgentPod;
  /** All containers that the runtime has of the pod. */
  readonly runtime: readonly RuntimeContainer[];
  /** What the containers start in: `none` before the first, `lost` if it is gone or does not work, as after a start of the machine. */
  readonly sandbox: 'none' | 'lost' | { readonly createdAt: EpochMs };
  /** Whether the pod is to be ended: it is deleted, evicted, past its deadline, or has ended by itself. */
  readonly isEnding: boolean;
  /** The result that counts for a running container; absent: not judged yet. */
  readonly probeResult: (kind: 'Liveness' | 'Startup', containerId: string) => ProbeResult | undefined;
  /** By `backOffKey`. */
  readonly backOffs: ReadonlyMap<string, BackOff>;
  readonly limits: BackOffLimits;
  readonly now: EpochMs;
}

/** A container that runs, or may run, and has to end. */
export interface ContainerStop {
  readonly container: Container;
  readonly id: string;
  /** Of the event. */
  readonly message: string;
  readonly reason: StopReason;
}

export interface ContainerStart {
  readonly container: Container;
  readonly restartCount: number;
  /** What to remember after the start; absent: nothing of this container has ended yet. */
  readonly backOff?: BackOff;
}

/** A container that waits to be started again. Its status is CrashLoopBackOff. */
export interface ContainerWait {
  readonly container: Container;
  readonly waitMs: number;
  readonly untilAt: EpochMs;
}

/** In this order: stop, create, start ephemeral containers, start init containers one after the other, start main containers. */
export interface PodActions {
  /** Whether all containers end, and with them the sandbox. */
  readonly endsAll: boolean;
  readonly createsSandbox: boolean;
  /** Containers that end one by one. */
  readonly stop: readonly ContainerStop[];
  readonly startEphemeral: readonly ContainerStart[];
  /** If one that is not a sidecar cannot be started, nothing after it is. */
  readonly startInit: readonly ContainerStart[];
  readonly startMain: readonly ContainerStart[];
  readonly wait: readonly ContainerWait[];
}

/** What a container's back-off is kept under: with another image it begins anew. */
export const backOffKey = ({ name, image = '' }: Container): string => `${name} ${image}`;

/** Whether the specification names another image than the one that the container was started with. */
export const isChanged = ({ image = '' }: Container, { wantedImage }: RuntimeContainer): boolean =>
  wantedImage !== undefined && wantedImage !== image;

/** The newest container of each name. */
export const latestByName = (runtime: readonly RuntimeContainer[]): ReadonlyMap<string, RuntimeContainer> =>
  new Map(
    newestFirst(runtime)
      .toReversed()
      .map((one) => [one.name, one]),
  );
