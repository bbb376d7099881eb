/**
 * The statuses of a pod's containers, from what the runtime has and what was known before. Source: kubernetes v1.34 pkg/kubelet
 * `convertToAPIContainerStatuses`.
 */
import { byText } from '../../../shared/kube/text/compare-text.ts';
import { type EpochMs, toTime } from '../../../shared/kube/values/time.ts';
import type { AgentPod } from './agent-pod.ts';
import type { Container } from './container.ts';
import {
  byName,
  CONTAINER_STATUS_UNKNOWN,
  type ContainerState,
  type ContainerStatus,
} from './container-status.ts';
import { shouldStart } from './restart.ts';
import { newestFirst, type RuntimeContainer } from './runtime-status.ts';

/** Why a container could not be started, such as `ErrImagePull`. */
export interface StartError {
  readonly reason: string;
  readonly message: string;
}

export interface StatusFacts {
  readonly pod: AgentPod;
  /** The containers to tell of: the main ones, or the init containers. */
  readonly containers: readonly Container[];
  readonly isInit: boolean;
  /** Their statuses as last computed. */
  readonly before: readonly ContainerStatus[];
  /** All containers that the runtime has of the pod, those that ended too. */
  readonly runtime: readonly RuntimeContainer[];
  /** Of containers whose last start failed, by name. */
  readonly startErrors: ReadonlyMap<string, StartError>;
}

const LOST_AT_TERMINATION = {
  ...CONTAINER_STATUS_UNKNOWN,
  message: 'The container could not be located when the pod was terminated',
};

/** Why a container waits that has not begun: for the init containers, if there are any. */
export const waitingReason = ({ spec }: AgentPod): string =>
  (spec.initContainers ?? []).length > 0 ? 'PodInitializing' : 'ContainerCreating';

const byDefault = (
  { name, image = '' }: Container,
  pod: AgentPod,
  old: ContainerStatus | undefined,
): ContainerStatus => ({
  name,
  image,
  imageID: '',
  ready: false,
  restartCount: old?.restartCount ?? 0,
  state: { waiting: { reason: waitingReason(pod) } },
  ...(old?.lastState && { lastState: old.lastState }),
});

const LOST_AT_DELETION = {
  ...CONTAINER_STATUS_UNKNOWN,
  message: 'The container could not be located when the pod was deleted.  The container used to be Running',
};

/** Of a container that the runtime has not: as it ended before; or it ran before, and nobody saw its end. */
const withoutRuntime = (
  container: Container,
  pod: AgentPod,
  old: ContainerStatus | undefined,
): ContainerStatus => {
  if (old?.state?.terminated) return old;
  const status = byDefault(container, pod, old);
  if (!old?.state?.running || status.lastState?.terminated) return status;
  const isRestarted = pod.metadata.deletionTimestamp === undefined;
  return {
    ...status,
    lastState: { terminated: LOST_AT_DELETION },
    restartCount: status.restartCount + Number(isRestarted),
  };
};

const timeOf = <K extends string>(key: K, at: EpochMs | undefined): { readonly [key in K]?: string } =>
  (at === undefined ? {} : { [key]: toTime(at) }) as { readonly [key in K]?: string };

const terminatedBy = ({ id, exitCode = 0, reason, message, startedAt, finishedAt }: RuntimeContainer) => ({
  exitCode,
  ...(reason && { reason }),
  ...(message && { message }),
  ...timeOf('startedAt', startedAt),
  ...timeOf('finishedAt', finishedAt),
  containerID: id,
});

/** A container of which the runtime knows nothing any more has ended if it ran before; else it waits. */
const unknownState = (old: ContainerStatus | undefined): ContainerState =>
  old?.state?.running ? { terminated: LOST_AT_TERMINATION } : { waiting: {} };

const stateOf = (container: RuntimeContainer, old: ContainerStatus | undefined): ContainerState => {
  if (container.state === 'running') return { running: timeOf('startedAt', container.startedAt) };
  if (container.state === 'exited') return { terminated: terminatedBy(container) };
  return container.state === 'unknown' ? unknownState(old) : { waiting: {} };
};

/**
 * The status of a container of the runtime; `old` is the status of its name as last computed. Source: kubernetes v1.34
 * pkg/kubelet `convertContainerStatus`.
 */
const statusOfRuntime = (container: RuntimeContainer, old: ContainerStatus | undefined): ContainerStatus => {
  const state = stateOf(container, old);
  const isLost = state.terminated === LOST_AT_TERMINATION;
  return {
    name: container.name,
    image: container.image,
    imageID: container.imageId,
    containerID: container.id,
    ready: false,
    restartCount: isLost ? (old?.restartCount ?? 0) + 1 : container.restartCount,
    state,
    ...(old?.['volumeMounts'] === undefined ? {} : { volumeMounts: old['volumeMounts'] }),
  };
};

/** The newest container is the status, the one before it the last state. */
const fromRuntime = (
  [newest, previous]: readonly RuntimeContainer[],
  old: ContainerStatus | undefined,
): ContainerStatus | undefined => {
  const status = newest && statusOfRuntime(newest, old);
  const last = previous && statusOfRuntime(previous, old).state;
  return status && last ? { ...status, lastState: last } : status;
};

/** A container that is to be started, and could not be, waits for the reason of that. */
const withStartError = (
  status: ContainerStatus,
  { pod, isInit, startErrors }: StatusFacts,
  latest: RuntimeContainer | undefined,
): ContainerStatus => {
  const error = startErrors.get(status.name);
  const isDone = isInit && latest?.state === 'exited' && latest.exitCode === 0;
  if (!error || isDone || !shouldStart(pod, latest)) return status;
  const { reason, message } = error;
  return {
    ...status,
    ...(status.state?.terminated && { lastState: status.state }),
    state: { waiting: { reason, ...(message !== '' && { message }) } },
  };
};

/** The statuses: main containers by name, init containers in their order. */
export const apiStatuses = (facts: StatusFacts): readonly ContainerStatus[] => {
  const old = byName(facts.before);
  const found = Map.groupBy(newestFirst(facts.runtime), ({ name }) => name);
  const statuses = facts.containers.map((container) => {
    const known = old.get(container.name);
    const there = found.get(container.name) ?? [];
    const status = fromRuntime(there, known) ?? withoutRuntime(container, facts.pod, known);
    return withStartError(status, facts, there[0]);
  });
  return facts.isInit ? statuses : statuses.toSorted((a, b) => byText(a.name, b.name));
};
