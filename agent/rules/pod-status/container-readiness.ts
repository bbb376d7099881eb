/** Which containers of a pod hold its conditions back. Source: kubernetes v1.34 pkg/kubelet/status `generate.go`. */

import type { AgentPodSpec } from '../containers/agent-pod.ts';
import { type Container, isSidecar } from '../containers/container.ts';
import { byName, type ContainerStatus } from '../containers/container-status.ts';

/** Names of containers without a status, and of those whose status is not the wanted one. */
export interface Missing {
  readonly unknown: readonly string[];
  readonly lacking: readonly string[];
}

const missingOf = (
  containers: readonly Container[],
  statuses: readonly ContainerStatus[],
  isThere: (container: Container, status: ContainerStatus) => boolean,
): Missing => {
  const found = byName(statuses);
  const unknown: string[] = [];
  const lacking: string[] = [];
  for (const container of containers) {
    const status = found.get(container.name);
    if (!status) unknown.push(container.name);
    else if (!isThere(container, status)) lacking.push(container.name);
  }
  return { unknown, lacking };
};

/** Sidecars and main containers that are not ready. */
export const unreadyContainers = (
  { initContainers = [], containers }: AgentPodSpec,
  statuses: readonly ContainerStatus[],
): Missing =>
  missingOf([...initContainers.filter(isSidecar), ...containers], statuses, (_one, { ready }) => ready);

/** Init containers that are not done: a sidecar has to be started, another one ready. */
export const incompleteInitContainers = (
  { initContainers = [] }: AgentPodSpec,
  statuses: readonly ContainerStatus[],
): Missing =>
  missingOf(initContainers, statuses, (one, { started, ready }) =>
    isSidecar(one) ? started === true : ready,
  );

/** Lists the containers as the kubelet does; empty if none is missing. */
export const missingText = ({ unknown, lacking }: Missing, word: 'unready' | 'incomplete'): string =>
  [
    { names: unknown, how: 'unknown' },
    { names: lacking, how: word },
  ]
    .filter(({ names }) => names.length > 0)
    .map(({ names, how }) => `containers with ${how} status: [${names.join(' ')}]`)
    .join(', ');

/** Whether a main container runs or has ended: the pod's initialization was complete then. */
export const hasMainStarted = (
  { containers }: AgentPodSpec,
  statuses: readonly ContainerStatus[],
): boolean => {
  const names = new Set(containers.map(({ name }) => name));
  return statuses.some(
    ({ name, state }) => names.has(name) && (state?.running ?? state?.terminated) !== undefined,
  );
};
