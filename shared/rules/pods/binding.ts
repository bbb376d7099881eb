/** Binds a pod to a node, if that is allowed. Source: kubernetes v1.34 registry/core/pod/storage `BindingREST`. */
import type { Pod } from '../../kube/types/core.ts';
import type { EpochMs } from '../../kube/values/time.ts';
import { withPodCondition } from './pod-conditions.ts';

/** The node of a Binding, and the annotations that the Binding adds to the pod. */
export interface BindingTarget {
  readonly nodeName: string;
  readonly annotations: Readonly<Record<string, string>>;
}

/** Why the pod cannot be bound; `undefined`: it can. */
export const bindingFault = ({ metadata, spec }: Pod): string | undefined => {
  const { name, deletionTimestamp } = metadata;
  if (deletionTimestamp !== undefined) return `pod ${name} is being deleted, cannot be assigned to a host`;
  if (spec.nodeName) return `pod ${name} is already assigned to node ${JSON.stringify(spec.nodeName)}`;
  const gates = spec['schedulingGates'];
  return Array.isArray(gates) && gates.length > 0
    ? `pod ${name} has non-empty .spec.schedulingGates`
    : undefined;
};

const withAnnotations = (pod: Pod, added: BindingTarget['annotations']): Pod =>
  Object.keys(added).length === 0
    ? pod
    : { ...pod, metadata: { ...pod.metadata, annotations: { ...pod.metadata.annotations, ...added } } };

/** The pod bound to its node, without the nominated node. The generation is unchanged. */
export const bindPod = (pod: Pod, { nodeName, annotations }: BindingTarget, now: EpochMs): Pod => {
  const scheduled = withPodCondition(pod, { type: 'PodScheduled', status: 'True' }, now);
  const { nominatedNodeName: _nominated, ...status } = scheduled.status ?? {};
  return withAnnotations({ ...scheduled, spec: { ...scheduled.spec, nodeName }, status }, annotations);
};
