/** A container of the CRI in the agent's terms. Source: kubernetes v1.34 pkg/kubelet/kuberuntime `toKubeContainerStatus`. */
import type { EpochMs } from '../../../shared/kube/values/time.ts';
import type { RuntimeContainer, RuntimeState } from '../containers/runtime-status.ts';
import { CONTAINER_NAME, MESSAGE_POLICY, RESTART_COUNT, WANTED_IMAGE } from './labels.ts';
import type { ContainerStatus } from './messages/containers.ts';

const STATES: Readonly<Record<string, RuntimeState>> = {
  CONTAINER_CREATED: 'created',
  CONTAINER_RUNNING: 'running',
  CONTAINER_EXITED: 'exited',
};

export const stateOf = (state: string | undefined): RuntimeState => STATES[state ?? ''] ?? 'unknown';

const NANOSECONDS = 1e6;

export const milliseconds = (nanoseconds: number): EpochMs => Math.trunc(nanoseconds / NANOSECONDS);

/** The API's id: runtime and id. */
export const containerIdOf = (runtime: string, id: string): string => `${runtime}://${id}`;

/** The runtime's own id; the agent's id has the runtime in front. */
export const ownIdOf = (id: string): string => id.slice(id.indexOf('://') + 3);

const timeOf = <K extends string>(key: K, nanoseconds: number) =>
  (nanoseconds > 0 ? { [key]: milliseconds(nanoseconds) } : {}) as { readonly [key in K]?: EpochMs };

/** Whether the end of the log is the message if the container wrote none. */
export const asksForLogs = ({ annotations, exitCode, reason }: ContainerStatus): boolean =>
  annotations[MESSAGE_POLICY] === 'FallbackToLogsOnError' &&
  exitCode !== 0 &&
  reason !== 'ContainerCannotRun';

const KILLED = 137;
/** The runtime may learn of the kernel's reason after the end. */
const EVENT_MS = 500;
const SURE_MS = 10_000;

/** Whether this end may still turn out to be one for want of memory: the runtime hears of both by events of their own. */
export const mayBeForMemory = (
  { state, exitCode, reason, finishedAt }: ContainerStatus,
  now: EpochMs,
): boolean =>
  state === 'CONTAINER_EXITED' &&
  exitCode === KILLED &&
  reason !== 'OOMKilled' &&
  Math.abs(now - milliseconds(finishedAt)) < EVENT_MS;

/** Whether nothing about the end will change any more. */
export const isFinal = ({ state, finishedAt }: ContainerStatus, now: EpochMs): boolean =>
  state === 'CONTAINER_EXITED' && Math.abs(now - milliseconds(finishedAt)) > SURE_MS;

/** A runtime may note a start after the program has begun, and so after the end of one that ends at once. */
const endTime = ({ startedAt, finishedAt }: ContainerStatus): number =>
  finishedAt > 0 ? Math.max(startedAt, finishedAt) : 0;

/** `said`: what the container wrote as its last message. */
const endOf = (status: ContainerStatus, said: string) => {
  const { exitCode, reason, message } = status;
  const text = [message, said].filter((one) => one !== '').join(': ');
  return {
    exitCode,
    ...(reason !== '' && { reason }),
    ...(text !== '' && { message: text }),
    ...timeOf('finishedAt', endTime(status)),
  };
};

const wanted = ({ annotations }: ContainerStatus): Pick<RuntimeContainer, 'wantedImage'> => {
  const wantedImage = annotations[WANTED_IMAGE];
  return wantedImage === undefined ? {} : { wantedImage };
};

export const runtimeContainer = (
  runtime: string,
  status: ContainerStatus,
  said: string,
): RuntimeContainer => {
  const state = stateOf(status.state);
  const { labels, annotations, metadata, imageRef, imageId } = status;
  return {
    id: containerIdOf(runtime, status.id),
    name: labels[CONTAINER_NAME] ?? metadata?.name ?? '',
    state,
    createdAt: milliseconds(status.createdAt),
    ...(state !== 'created' && timeOf('startedAt', status.startedAt)),
    ...(state === 'exited' && endOf(status, said)),
    restartCount: Number(annotations[RESTART_COUNT] ?? metadata?.attempt ?? 0),
    image: status.image?.image ?? '',
    imageId: imageId || imageRef,
    ...wanted(status),
  };
};
