/** Whether a pod fits on the node that it is bound to. Source: kubernetes v1.34 pkg/kubelet/lifecycle `generalFilter`, scheduler `AdmissionCheck`. */
import type { Node, Pod } from '../../../shared/kube/types/core.ts';
import { isExtendedResource } from '../../../shared/kube/values/resource-names.ts';
import { noExecuteTaints, taintsOf } from '../../../shared/rules/nodes/taints.ts';
import { firstTolerating } from '../../../shared/rules/pods/tolerations.ts';
import { requiredNodeAffinity } from '../../../shared/rules/scheduling/filters/node-affinity.ts';
import { collides, hostPortsOf } from '../../../shared/rules/scheduling/pods/host-ports.ts';
import { podRequests } from '../../../shared/rules/scheduling/pods/pod-requests.ts';
import {
  addResources,
  NO_RESOURCES,
  type Resources,
  resourcesOf,
} from '../../../shared/rules/scheduling/pods/resources.ts';
import { isStaticPod } from '../pods/pod-kind.ts';
import { type Rejection, rejection } from '../pods/verdict.ts';

/** What the node lacks: cpu in thousandths of a core, everything else in bytes or pieces. */
export interface Shortage {
  readonly resource: string;
  readonly requested: number;
  readonly used: number;
  readonly capacity: number;
}

/** What keeps a pod off its node: what the node lacks, and everything else as a rejection. */
export interface Misfit {
  readonly shortages: readonly Shortage[];
  readonly others: readonly Rejection[];
}

/** The order in which shortages are told; all further resources follow by name. */
const FIRST_TOLD = ['cpu', 'memory', 'ephemeral-storage'];

const rank = (name: string): string => {
  const index = FIRST_TOLD.indexOf(name);
  return index < 0 ? `9${name}` : `${index}`;
};

/** What the pod asks for and the node counts. A resource that the node has never heard of is not the node's affair. */
const countedRequests = (pod: Pod, allocatable: Resources): readonly (readonly [string, number])[] =>
  [...podRequests(pod)]
    .filter(([name, amount]) => amount > 0 && (allocatable.has(name) || !isExtendedResource(name)))
    .toSorted(([a], [b]) => (rank(a) < rank(b) ? -1 : 1));

const shortagesOf = (pod: Pod, node: Node, others: readonly Pod[]): readonly Shortage[] => {
  const allocatable = resourcesOf(node.status?.allocatable);
  const used = others.map(podRequests).reduce(addResources, NO_RESOURCES);
  const slots = {
    resource: 'pods',
    requested: 1,
    used: others.length,
    capacity: allocatable.get('pods') ?? 0,
  };
  const amounts = countedRequests(pod, allocatable).map(([resource, requested]) => ({
    resource,
    requested,
    used: used.get(resource) ?? 0,
    capacity: allocatable.get(resource) ?? 0,
  }));
  return [slots, ...amounts].filter(({ requested, used: taken, capacity }) => requested > capacity - taken);
};

const failed = (filter: string, why: string): Rejection =>
  rejection(filter, `Predicate ${filter} failed: ${why}`);

const NODE_AFFINITY = failed('NodeAffinity', "node(s) didn't match Pod's node affinity/selector");
const NODE_NAME = failed('NodeName', "node(s) didn't match the requested node name");
const NODE_PORTS = failed('NodePorts', "node(s) didn't have free ports for the requested pod ports");
const TAINTS = failed('TaintToleration', "node(s) had taints that the pod didn't tolerate");

const isOtherNode = ({ spec: { nodeName = '' } }: Pod, { metadata }: Node): boolean =>
  nodeName !== '' && nodeName !== metadata.name;

const lacksPorts = (pod: Pod, others: readonly Pod[]): boolean => {
  const wanted = hostPortsOf(pod);
  return (
    wanted.length > 0 &&
    others.flatMap(hostPortsOf).some((taken) => wanted.some((port) => collides(port, taken)))
  );
};

/** A static pod runs whatever the taints; a taint that only keeps new pods away does not end a pod that is bound. */
const isRepelled = (pod: Pod, node: Node): boolean =>
  !isStaticPod(pod) &&
  noExecuteTaints(taintsOf(node)).some(
    (taint) => firstTolerating(pod.spec.tolerations ?? [], taint) === undefined,
  );

/** All that keeps the pod off the node, on which `others` are. */
export const misfitOf = (pod: Pod, node: Node, others: readonly Pod[]): Misfit => ({
  shortages: shortagesOf(pod, node, others),
  others: [
    ...(requiredNodeAffinity(pod)(node) ? [] : [NODE_AFFINITY]),
    ...(isOtherNode(pod, node) ? [NODE_NAME] : []),
    ...(lacksPorts(pod, others) ? [NODE_PORTS] : []),
    ...(isRepelled(pod, node) ? [TAINTS] : []),
  ],
});

/** The rejection of a pod for which the node has no room. */
export const shortageRejection = ({ resource, requested, used, capacity }: Shortage): Rejection =>
  rejection(
    `OutOf${resource}`,
    `Node didn't have enough resource: ${resource}, requested: ${requested}, used: ${used}, capacity: ${capacity}`,
  );
