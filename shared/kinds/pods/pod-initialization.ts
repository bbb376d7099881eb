/** Progress of a pod's init containers. Source: kubernetes v1.34 `pkg/printers/internalversion` `printPod`. */
import type { ContainerStatus, PrintedPod } from './container-status-text.ts';
import { endedWell, endOf, isTrue, sidecarsOf } from './container-status-text.ts';

const isThrough = (container: ContainerStatus, sidecars: ReadonlySet<string>): boolean =>
  endedWell(container) || (sidecars.has(container.name) && container.started === true);

const wordOf = ({ state }: ContainerStatus, index: number, total: number): string => {
  if (state?.terminated) return `Init:${endOf(state.terminated)}`;
  const waiting = state?.waiting?.reason;
  return waiting && waiting !== 'PodInitializing' ? `Init:${waiting}` : `Init:${index}/${total}`;
};

/** How far a pod's init containers have come. */
export interface Initialization {
  /** `Init:…` while an init container has not completed, else `undefined`. */
  readonly word: string | undefined;
  /** Init containers up to and including the first that has not completed. */
  readonly seen: readonly ContainerStatus[];
}

/** The progress of the pod's init containers. */
export const initializationOf = (pod: PrintedPod): Initialization => {
  const statuses = pod.status?.initContainerStatuses ?? [];
  const sidecars = sidecarsOf(pod);
  const at = statuses.findIndex((container) => !isThrough(container, sidecars));
  const current = statuses[at];
  if (!current) return { word: undefined, seen: statuses };
  const total = pod.spec?.initContainers?.length ?? 0;
  return { word: wordOf(current, at, total), seen: statuses.slice(0, at + 1) };
};

/** Whether the containers' own statuses are printed: the init containers have completed, now or once before. */
export const isInitialized = (pod: PrintedPod, { word }: Initialization): boolean =>
  word === undefined || isTrue(pod, 'Initialized');
