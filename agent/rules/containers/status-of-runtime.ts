/** A container of the runtime as the API shows it. Source: kubernetes v1.34 pkg/kubelet `convertContainerStatus`. */
import { type EpochMs, toTime } from '../../../shared/kube/values/time.ts';
import { CONTAINER_STATUS_UNKNOWN, type ContainerState, type ContainerStatus } from './container-status.ts';
import type { RuntimeContainer } from './runtime-status.ts';

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

const LOST = {
  ...CONTAINER_STATUS_UNKNOWN,
  message: 'The container could not be located when the pod was terminated',
};

/** A container of which the runtime knows nothing any more has ended if it ran before; else it waits. */
const unknownState = (old: ContainerStatus | undefined): ContainerState =>
  old?.state?.running ? { terminated: LOST } : { waiting: {} };

const stateOf = (container: RuntimeContainer, old: ContainerStatus | undefined): ContainerState => {
  if (container.state === 'running') return { running: timeOf('startedAt', container.startedAt) };
  if (container.state === 'exited') return { terminated: terminatedBy(container) };
  return container.state === 'unknown' ? unknownState(old) : { waiting: {} };
};

/** The status of a container of the runtime; `old` is the status of its name as last computed. */
export const statusOfRuntime = (
  container: RuntimeContainer,
  old: ContainerStatus | undefined,
): ContainerStatus => {
  const state = stateOf(container, old);
  const isLost = state.terminated === LOST;
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
