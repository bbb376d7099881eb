/** What is remembered of a pod while the agent runs. All of it can be lost: the next turn reads what runs, and goes on. */
import type { PodStatus } from '../../../shared/kube/types/core.ts';
import type { EpochMs } from '../../../shared/kube/values/time.ts';
import type { AgentPod } from '../../rules/containers/agent-pod.ts';
import type { StartError } from '../../rules/containers/api-statuses.ts';
import type { BackOff } from '../../rules/containers/back-off.ts';

/** `running`: it is wanted. `ending`: its containers end. `stopped`: they have ended. `finished`: its volumes are gone, too. */
export type Stage = 'running' | 'ending' | 'stopped' | 'finished';

export interface PodState {
  pod: AgentPod;
  stage: Stage;
  /** Whether the pod is not wanted any more: the API has it no more, or its manifest is gone. */
  isGone: boolean;
  /** Whether it was refused, so that nothing of it has ever run. */
  isRejected: boolean;
  /** Whether the logs of its containers are not to be kept: the disk is short. */
  isDiscarded: boolean;
  /** Whether nothing of it is left in the runtime. */
  isRemoved: boolean;
  /** The grace period in force, in seconds; 0: none yet. */
  graceSeconds: number;
  /** Changes the status of a pod that someone has ended. */
  statusAtEnd: ((status: PodStatus) => PodStatus) | undefined;
  readonly startErrors: Map<string, StartError>;
  readonly backOffs: Map<string, BackOff>;
  /** Until when a container waits of which an event has told, by its name. */
  readonly toldWaits: Map<string, EpochMs>;
  /** Until when what failed is not tried again: uptime by name of the container, alone or with its image, or by an empty name for the sandbox. */
  readonly heldBack: Map<string, number>;
  /** The last fault of a volume of which an event has told. */
  toldFault: string;
  /** Aborts what a turn waits for, when the pod is to be ended or has less time to end. */
  interrupt: AbortController;
}

export const newPodState = (pod: AgentPod): PodState => ({
  pod,
  stage: 'running',
  isGone: false,
  isRejected: false,
  isDiscarded: false,
  isRemoved: false,
  graceSeconds: 0,
  statusAtEnd: undefined,
  startErrors: new Map(),
  backOffs: new Map(),
  toldWaits: new Map(),
  heldBack: new Map(),
  toldFault: '',
  interrupt: new AbortController(),
});

export const uidOf = ({ metadata }: AgentPod): string => metadata.uid ?? '';

export const podName = ({ metadata }: AgentPod): string => `${metadata.namespace ?? ''}/${metadata.name}`;
