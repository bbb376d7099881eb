/** What the container runtime calls the pod's RuntimeClass. Source: kubernetes v1.34 pkg/kubelet/runtimeclass `LookupRuntimeHandler`. */
import type { AgentPod } from '../../rules/containers/agent-pod.ts';
import type { PodDeps } from '../worker/worker-deps.ts';

/** Nothing for a pod without a class, or whose class means the usual runtime. Throws if there is no such class. */
export const runtimeHandlerOf = (
  { objects }: Pick<PodDeps, 'objects'>,
  { spec }: AgentPod,
): { readonly runtimeHandler?: string } => {
  const name = spec['runtimeClassName'];
  if (typeof name !== 'string' || name === '') return {};
  const found = objects.runtimeClass(name);
  if (!found) throw new Error(`runtimeclass.node.k8s.io "${name}" not found`);
  return found.handler === undefined || found.handler === '' ? {} : { runtimeHandler: found.handler };
};
