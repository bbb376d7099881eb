/** When the containers of a pod run. Source: KEP-753, pods with sidecars. */

import type { AgentPod, AgentPodSpec } from '../containers/agent-pod.ts';
import { type Container, isSidecar } from '../containers/container.ts';

/** In the order in which they start. */
export const containersInOrder = ({ spec }: AgentPod): readonly Container[] => [
  ...(spec.initContainers ?? []),
  ...spec.containers,
];

/** Whether it is an init container that ends before the next container starts. */
export const isPassing = ({ spec }: AgentPod, { name }: Container): boolean =>
  (spec.initContainers ?? []).some((init) => init.name === name && !isSidecar(init));

/** The most that containers take at any time: init containers run one after the other, beside the sidecars before them. */
export const mostAtOnce = (
  { initContainers = [], containers }: AgentPodSpec,
  amountOf: (container: Container) => number,
): number => {
  let [sidecars, most] = [0, 0];
  for (const container of initContainers) {
    const amount = amountOf(container);
    if (isSidecar(container)) sidecars += amount;
    else most = Math.max(most, sidecars + amount);
  }
  return Math.max(
    most,
    containers.reduce((sum, container) => sum + amountOf(container), sidecars),
  );
};
