/**
 * Who ends before whom when a pod is ended: sidecars after the main containers and after the sidecars that were started later.
 * Source: kubernetes v1.34 pkg/kubelet/kuberuntime `terminationOrdering`.
 */
import type { AgentPodSpec } from './agent-pod.ts';
import { isSidecar } from './container.ts';

/** By name of the container: the names of those among `running` for whose end it waits. Containers that wait for nobody are left out. */
export type StopOrder = ReadonlyMap<string, readonly string[]>;

/** The order in which the running containers of a pod end; empty without sidecars. */
export const stopOrder = (
  { containers, initContainers = [] }: AgentPodSpec,
  running: ReadonlySet<string>,
): StopOrder => {
  const main = containers.map(({ name }) => name).filter((name) => running.has(name));
  const sidecars = initContainers.filter(isSidecar).map(({ name }) => name);
  return new Map(
    sidecars.map((name, place) => {
      const later = sidecars.slice(place + 1, place + 2).filter((one) => running.has(one));
      return [name, [...main, ...later]] as const;
    }),
  );
};
