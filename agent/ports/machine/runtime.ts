/** What runs containers. */
import type { EpochMs } from '../../../shared/kube/values/time.ts';
import type { AgentPod } from '../../rules/containers/agent-pod.ts';
import type { Container } from '../../rules/containers/container.ts';
import type { ContainerMount } from '../../rules/containers/container-mount.ts';
import type { RuntimeContainer } from '../../rules/containers/runtime-status.ts';
import type { HealthCheck, RuntimeCondition } from '../../rules/node/runtime-state.ts';
import type { Isolation } from '../../rules/pods/isolation.ts';
import type { ContainerInput } from '../../rules/runtime/container-input.ts';
import type { ContainerStopper } from './container-stopper.ts';
import type { RuntimeFacts } from './node-facts.ts';
import type { PodToMeasure } from './stats-source.ts';

/** What is mounted into a container. */
export interface Mount extends ContainerMount {
  /** Device and inode that the source must have when it is mounted, such as `65024:12`; absent: any. */
  readonly identity?: string;
}

export interface PodIdentity {
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
}

/** Upper bounds and weights. Absent: none. */
export interface ResourceBounds {
  /** Thousandths of a core that are guaranteed under load. */
  readonly cpuRequestMilli?: number;
  readonly cpuLimitMilli?: number;
  readonly memoryLimitBytes?: number;
  readonly pidsLimit?: number;
  /** Absent: no swap. */
  readonly swapMaxBytes?: number;
  /** The CPUs that it runs on, such as `0-2`; absent: any. */
  readonly cpus?: string;
  /** The NUMA nodes of its memory, such as `0-1`; absent: any. */
  readonly memoryNodes?: string;
}

/** What the containers of a pod start in. */
export interface SandboxSpec {
  readonly pod: PodIdentity;
  readonly hostname: string;
  readonly bounds: ResourceBounds;
  /** Folder for the logs of its containers. */
  readonly logFolder: string;
  /** The pod of the API; for runtimes that read it themselves. */
  readonly source?: AgentPod;
  /** Of the pod's RuntimeClass; absent: the usual one. */
  readonly runtimeHandler?: string;
}

/** All that is needed to start a container: nothing is looked up any more. */
export interface ContainerSpec {
  readonly pod: PodIdentity;
  readonly name: string;
  readonly restartCount: number;
  /** `host`, or the absolute path of a folder that becomes its root. */
  readonly image: string;
  /** What the container is created from, of runtimes that have images; absent: `image`. */
  readonly imageReference?: string;
  /** The program with its arguments. */
  readonly command: readonly string[];
  /** For runtimes that read the pod themselves: the container of the API, and its command apart from its arguments, as images have an entry point. */
  readonly source?: {
    readonly pod: AgentPod;
    readonly container: Container;
    readonly command: readonly string[];
    readonly args: readonly string[];
  };
  readonly environment: Readonly<Record<string, string>>;
  /** Absolute; absent: that of the image. */
  readonly workingDirectory?: string;
  readonly mounts: readonly Mount[];
  readonly bounds: ResourceBounds;
  readonly oomScoreAdjust: number;
  /** Absent: its standard input is empty. A runtime of the CRI reads it from `source`. */
  readonly input?: ContainerInput;
  /** The signal that ends it, such as `SIGTERM`. */
  readonly stopSignal?: string;
  /** File in the container whose text becomes the message of its end. */
  readonly terminationMessagePath?: string;
  /** If that file is empty and the container has failed, the last lines of its log are the message: `FallbackToLogsOnError`. */
  readonly terminationMessageFallsBackToLogs?: boolean;
}

/** A pod as the runtime has it. */
export interface RuntimePod {
  readonly pod: PodIdentity;
  /** `undefined`: the machine was started since, or something that the pod needs is gone. */
  readonly sandboxCreatedAt?: EpochMs;
  readonly containers: readonly RuntimeContainer[];
  /** Its addresses; absent: those of the node. */
  readonly ips?: readonly string[];
  /** Where it keeps what it uses; control groups only where the runtime has them. */
  readonly measure: Omit<PodToMeasure, 'podRef' | 'volumes'>;
}

/** What a command in a container answered. */
export interface ExecAnswer {
  /** `undefined`: it did not end in time, and was killed. */
  readonly exitCode?: number;
  /** Output and errors together, cut. */
  readonly output: string;
}

/** Of a runtime whose containers are processes of the agent's own user, and nothing more. */
export interface PlainMode {
  /** What its pods can do: for the Node and for each pod. */
  readonly warning: string;
  /** Why a container cannot be what its pod asks for; `undefined`: it can. */
  refusal(pod: AgentPod, container: Container): string | undefined;
}

/** A runtime of containers. It remembers what it started when the agent is started again. Methods reject with the machine's error. */
export interface Runtime extends Pick<ContainerStopper, 'stopContainer'> {
  /** Which fields of a pod hold depends on it. Of all but `none` the specifications have a `source`. */
  readonly isolation: Isolation;
  /** Present where `isolation` is `none`. */
  readonly plain?: PlainMode;
  facts(): Promise<RuntimeFacts>;
  /** `RuntimeReady`, `NetworkReady`; absent: it is ready whenever it answers. */
  conditions?(): Promise<readonly RuntimeCondition[]>;
  /** What is wrong with it besides; absent: nothing ever is. */
  checks?(): readonly HealthCheck[];
  /** What this machine lacks, such as a controller of control groups, and what therefore is not held; for people. */
  missing(): readonly string[];
  pods(): Promise<readonly RuntimePod[]>;
  /** One of them; `undefined`: there is no such pod. */
  pod(uid: string): Promise<RuntimePod | undefined>;
  /** Makes what the containers start in; a sandbox that is lost is made anew. */
  createSandbox(spec: SandboxSpec): Promise<void>;
  /**
   * Starts a container and resolves with its id. Called again with the same restart count it starts nothing a second time. An error
   * with a member `reason`, such as `ErrImageNeverPull`, is told by it; any other as `RunContainerError`.
   */
  startContainer(spec: ContainerSpec): Promise<string>;
  removeContainer(id: string): Promise<void>;
  /** Removes all that is left of a pod; its containers have ended. */
  removePod(uid: string): Promise<void>;
  /** Moves a running container to these CPUs, such as `0-2`. */
  bindContainer(id: string, cpus: string): Promise<void>;
  exec(id: string, command: readonly string[], timeoutMs: number): Promise<ExecAnswer>;
  /** Calls back with the uid of a pod when one of its containers has ended; returns what ends that. */
  onChange(callback: (podUid: string) => void): () => void;
}
