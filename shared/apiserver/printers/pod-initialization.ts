/** How far a pod's init containers are. Source: kubernetes v1.34 `pkg/printers/internalversion` `printPod`. */
import type { ContainerStatus, PrintedPod } from './container-status.ts';
import { endedWell, endOf, isTrue, sidecarsOf } from './container-status.ts';

const isThrough = (container: ContainerStatus, sidecars: ReadonlySet<string>): boolean =>
  endedWell(container) || (sidecars.has(container.name) && container.started === true);

const wordOf = ({ state }: ContainerStatus, index: number, total: number): string => {
  if (state?.terminated) return `Init:${endOf(state.terminated)}`;
  const waiting = state?.waiting?.reason;
  return waiting && waiting !== 'PodInitializing' ? `Init:${waiting}` : `Init:${index}/${total}`;
};

export interface Initialization {
  /** `Init:…` while an init container is not through, else `undefined`. */
  readonly word: string | undefined;
  /** Init containers that were looked at: up to the one that is not through. */
  readonly seen: readonly ContainerStatus[];
}

export const initializationOf = (pod: PrintedPod): Initialization => {
  const statuses = pod.status?.initContainerStatuses ?? [];
  const sidecars = sidecarsOf(pod);
  const at = statuses.findIndex((container) => !isThrough(container, sidecars));
  const current = statuses[at];
  if (!current) return { word: undefined, seen: statuses };
  const total = pod.spec?.initContainers?.length ?? 0;
  return { word: wordOf(current, at, total), seen: statuses.slice(0, at + 1) };
};

/** Whether the containers count: the init containers are through, or were once. */
export const isInitialized = (pod: PrintedPod, { word }: Initialization): boolean =>
  word === undefined || isTrue(pod, 'Initialized');
