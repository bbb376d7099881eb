/**
 * Status text, ready containers and restarts of a pod. Source: kubernetes v1.34 `pkg/printers/internalversion`
 * `printPod`.
 */
import { ageOf } from '../../kube/text/human-duration.ts';
import type { EpochMs } from '../../kube/values/time.ts';
import {
  type ContainerStatus,
  endedWell,
  endOf,
  isTrue,
  type PrintedPod,
  sidecarsOf,
} from './container-status-text.ts';

const NODE_LOST = 'NodeLost';
const GATED = 'SchedulingGated';

/** How far a pod's init containers have come. */
interface Initialization {
  /** `Init:…` while an init container has not completed, else `undefined`. */
  readonly word: string | undefined;
  /** Init containers up to and including the first that has not completed. */
  readonly seen: readonly ContainerStatus[];
}

const containersOf = ({ status }: PrintedPod): readonly ContainerStatus[] => status?.containerStatuses ?? [];

const isRunning = ({ state, ready }: ContainerStatus): boolean =>
  ready === true && state?.running !== undefined && !state.waiting?.reason && !state.terminated;

const wordOfContainer = ({ state }: ContainerStatus): string | undefined => {
  if (state?.waiting?.reason) return state.waiting.reason;
  return state?.terminated ? endOf(state.terminated) : undefined;
};

const isGated = ({ status }: PrintedPod): boolean =>
  status?.conditions?.some(({ type, reason }) => type === 'PodScheduled' && reason === GATED) ?? false;

const wordOfPod = (pod: PrintedPod): string =>
  isGated(pod) ? GATED : pod.status?.reason || (pod.status?.phase ?? '');

const isThrough = (container: ContainerStatus, sidecars: ReadonlySet<string>): boolean =>
  endedWell(container) || (sidecars.has(container.name) && container.started === true);

const wordOf = ({ state }: ContainerStatus, index: number, total: number): string => {
  if (state?.terminated) return `Init:${endOf(state.terminated)}`;
  const waiting = state?.waiting?.reason;
  return waiting && waiting !== 'PodInitializing' ? `Init:${waiting}` : `Init:${index}/${total}`;
};

/** The progress of the pod's init containers. Source: kubernetes v1.34 `pkg/printers/internalversion` `printPod`. */
const initializationOf = (pod: PrintedPod): Initialization => {
  const statuses = pod.status?.initContainerStatuses ?? [];
  const sidecars = sidecarsOf(pod);
  const at = statuses.findIndex((container) => !isThrough(container, sidecars));
  const current = statuses[at];
  if (!current) return { word: undefined, seen: statuses };
  const total = pod.spec?.initContainers?.length ?? 0;
  return { word: wordOf(current, at, total), seen: statuses.slice(0, at + 1) };
};

/** Whether the containers' own statuses are printed: the init containers have completed, now or once before. */
const isInitialized = (pod: PrintedPod, { word }: Initialization): boolean =>
  word === undefined || isTrue(pod, 'Initialized');

const wordWhileAlive = (pod: PrintedPod): string => {
  const initialization = initializationOf(pod);
  const before = initialization.word ?? wordOfPod(pod);
  if (!isInitialized(pod, initialization)) return before;
  const containers = containersOf(pod);
  // The first container that has a status to print decides.
  const word = containers.map(wordOfContainer).find((said) => said !== undefined) ?? before;
  if (word !== 'Completed' || !containers.some(isRunning)) return word;
  return isTrue(pod, 'Ready') ? 'Running' : 'NotReady';
};

const isOver = (phase: string | undefined): boolean => phase === 'Succeeded' || phase === 'Failed';

/** The text in the STATUS column of `kubectl get pods`. */
export const podWord = (pod: PrintedPod): string => {
  if (pod.metadata.deletionTimestamp) {
    if (pod.status?.reason === NODE_LOST) return 'Unknown';
    if (!isOver(pod.status?.phase)) return 'Terminating';
  }
  return wordWhileAlive(pod);
};

const isReadySidecar = (container: ContainerStatus): boolean =>
  !endedWell(container) && container.started === true && container.ready === true;

/** Ready containers out of all, including sidecars: `1/2`. */
export const podReadiness = (pod: PrintedPod): string => {
  const sidecars = sidecarsOf(pod);
  const initialization = initializationOf(pod);
  const ready = [
    ...initialization.seen.filter(({ name }) => sidecars.has(name)).filter(isReadySidecar),
    ...(isInitialized(pod, initialization) ? containersOf(pod).filter(isRunning) : []),
  ];
  return `${ready.length}/${(pod.spec?.containers?.length ?? 0) + sidecars.size}`;
};

// Completed init containers no longer count; sidecars always do.
const restarting = (pod: PrintedPod, initialization: Initialization): readonly ContainerStatus[] => {
  if (!isInitialized(pod, initialization)) return initialization.seen;
  const sidecars = sidecarsOf(pod);
  return [...initialization.seen.filter(({ name }) => sidecars.has(name)), ...containersOf(pod)];
};

/** The number of restarts, followed by the age of the last one if a container tells it: `5 (3m ago)`. */
export const podRestarts = (pod: PrintedPod, now: EpochMs): string => {
  const containers = restarting(pod, initializationOf(pod));
  const restarts = containers.reduce((sum, { restartCount }) => sum + (restartCount ?? 0), 0);
  const ends = containers.flatMap(({ lastState }) => lastState?.terminated?.finishedAt ?? []);
  // Times on the wire are UTC with whole seconds, so they sort as text.
  const last = ends.sort().at(-1);
  return restarts > 0 && last ? `${restarts} (${ageOf(last, now)} ago)` : String(restarts);
};
