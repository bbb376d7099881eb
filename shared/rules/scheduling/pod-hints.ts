/**
 * Which changes of bound pods can help a pod that a filter refused. Source: the functions `isSchedulableAfterPodChange` and
 * their like of the plugins in kubernetes v1.34.
 */
import type { Pod } from '../../kube/types/core.ts';
import type { SpreadConstraint } from './filters/spread-constraint.ts';
import { countsAs, hardConstraints } from './filters/spread-constraint.ts';
import type { ObjectChange } from './object-change.ts';
import { collides, hostPortsOf } from './pods/host-ports.ts';
import type { NamespaceLabels } from './pods/placement.ts';
import { affinityTermsOf, areAllAbout, isAbout } from './pods/pod-affinity-terms.ts';
import { podRequests } from './pods/pod-requests.ts';
import { schedulingSpec } from './pods/scheduling-spec.ts';

/** Whether the change of a bound pod can help the waiting pod. `before` is absent for one that was just bound. */
export type PodHint = (pod: Pod, change: ObjectChange<Pod>, namespaces: NamespaceLabels) => boolean;

const shrinks = (before: Pod, after: Pod): boolean => {
  const now = podRequests(after);
  return [...podRequests(before)].some(([name, amount]) => (now.get(name) ?? 0) < amount);
};

const freesRoom: PodHint = (_pod, { before, after }) =>
  before !== undefined && (after === undefined || shrinks(before, after));

const freesPort: PodHint = (pod, { before, after }) => {
  const freed = before && !after ? hostPortsOf(before) : [];
  return hostPortsOf(pod).some((wanted) => freed.some((port) => collides(wanted, port)));
};

const freesVolume: PodHint = (_pod, { before, after }) =>
  before !== undefined && after === undefined && (schedulingSpec(before).volumes ?? []).length > 0;

/** A pod that a hard constraint counts came, went, began to leave or changed its labels. */
const changesSpread: PodHint = (pod, { before, after }) => {
  const counts = (other: Pod | undefined, constraint: SpreadConstraint): boolean =>
    other !== undefined && countsAs(other, pod, constraint);
  return hardConstraints(pod).some((constraint) => counts(before, constraint) !== counts(after, constraint));
};

/** A pod came that the affinity needs, or one went that one of the sides avoids. */
const changesAffinity: PodHint = (pod, { before, after }, namespaces) => {
  const { affinity, antiAffinity } = affinityTermsOf(pod);
  const needs = (other: Pod | undefined): boolean =>
    other !== undefined && areAllAbout(affinity, other, namespaces);
  const clashes = (other: Pod | undefined): boolean =>
    other !== undefined &&
    (antiAffinity.some((term) => isAbout(term, other, namespaces)) ||
      affinityTermsOf(other).antiAffinity.some((term) => isAbout(term, pod, namespaces)));
  // When the last pod of a group goes, the next one is the first again.
  return needs(before) !== needs(after) || (clashes(before) && !clashes(after));
};

/** By the name of the plugin. A plugin without a hint is never helped by a pod. */
export const POD_HINTS: Readonly<Record<string, PodHint>> = {
  NodePorts: freesPort,
  NodeResourcesFit: freesRoom,
  VolumeRestrictions: freesVolume,
  NodeVolumeLimits: freesVolume,
  PodTopologySpread: changesSpread,
  InterPodAffinity: changesAffinity,
};
