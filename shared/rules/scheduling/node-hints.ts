/**
 * Which changes of Nodes can help a pod that a filter refused. Source: the functions `isSchedulableAfterNodeChange` of the
 * plugins in kubernetes v1.34.
 */

import { deepEqual } from '../../kube/json/deep-equal.ts';
import { ownMember } from '../../kube/json/own-member.ts';
import type { Node, Pod } from '../../kube/types/core.ts';
import { requiredNodeAffinity } from './filters/node-affinity.ts';
import { hardConstraints, hasAllTopologies } from './filters/spread-constraint.ts';
import { toleratesAll } from './filters/taint-toleration.ts';
import type { ObjectChange } from './object-change.ts';
import { podRequests } from './pods/pod-requests.ts';
import { resourcesOf } from './pods/resources.ts';

/** Whether the change of a node can help the pod. */
export type NodeHint = (pod: Pod, change: ObjectChange<Node>) => boolean;

/** Whether the node has become one that meets the condition. */
const becomes = ({ before, after }: ObjectChange<Node>, meets: (node: Node) => boolean): boolean =>
  after !== undefined && meets(after) && !(before && meets(before));

const isNew: NodeHint = (_pod, { before, after }) => before === undefined && after !== undefined;

const isNewOrRelabelled: NodeHint = (_pod, { before, after }) =>
  after !== undefined && !deepEqual(before?.metadata.labels, after.metadata.labels);

/** What the pod takes of a node: its requests, and one of its pods. */
const wantedOf = (pod: Pod): readonly (readonly [string, number])[] => [
  ...[...podRequests(pod)].filter(([, amount]) => amount > 0),
  ['pods', 1],
];

const fitsOrGrows: NodeHint = (pod, { before, after }) => {
  if (!after) return false;
  const [room, formerRoom] = [after, before].map((node) => resourcesOf(node?.status?.allocatable));
  const wanted = wantedOf(pod);
  const fits = wanted.every(([name, amount]) => (room?.get(name) ?? 0) >= amount);
  return fits && (!before || wanted.some(([name]) => (room?.get(name) ?? 0) > (formerRoom?.get(name) ?? 0)));
};

/** A domain came, went or changed, or its nodes may count now: any of these can lift the minimum, or make room. */
const changesSpread: NodeHint = (pod, { before, after }) => {
  const constraints = hardConstraints(pod);
  const [took, takes] = [before, after].map(
    (node) => node !== undefined && hasAllTopologies(node, constraints),
  );
  if (took !== takes) return true;
  if (!takes) return false;
  const isMoved = constraints.some(
    ({ topologyKey: key }) =>
      ownMember(before?.metadata.labels, key) !== ownMember(after?.metadata.labels, key),
  );
  return isMoved || !deepEqual(before?.spec?.taints, after?.spec?.taints);
};

/** By the name of the plugin. A plugin without a hint is never helped by a node. */
export const NODE_HINTS: Readonly<Record<string, NodeHint>> = {
  NodeUnschedulable: (_pod, change) => becomes(change, ({ spec }) => spec?.unschedulable !== true),
  TaintToleration: (pod, change) => becomes(change, (node) => toleratesAll(pod, node)),
  NodeAffinity: (pod, change) => becomes(change, requiredNodeAffinity(pod)),
  NodePorts: isNew,
  NodeResourcesFit: fitsOrGrows,
  VolumeRestrictions: isNew,
  NodeVolumeLimits: isNew,
  VolumeBinding: isNewOrRelabelled,
  VolumeZone: isNewOrRelabelled,
  PodTopologySpread: changesSpread,
  InterPodAffinity: isNewOrRelabelled,
};
