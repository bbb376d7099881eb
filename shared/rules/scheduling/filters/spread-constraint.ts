/** Topology spread constraints as the scheduler reads them. Source: kubernetes v1.34 `podtopologyspread` `common.go`. */

import { ownMember } from '../../../kube/json/own-member.ts';
import { isEmptySelector, selects } from '../../../kube/selector/object-selector.ts';
import type { Spread } from '../../../kube/types/affinity.ts';
import type { Node, Pod } from '../../../kube/types/core.ts';
import type { LabelSelector } from '../../../kube/types/meta.ts';
import type { BoundPods } from '../cluster/bound-pods.ts';
import type { NodeTally } from '../cluster/node-tally.ts';
import { sumOfTallies } from '../cluster/node-tally.ts';
import { withLabelKeys } from '../pods/label-keys.ts';
import type { NodeMatch } from '../pods/node-selector.ts';
import { toleratesAll } from './taint-toleration.ts';

/** A constraint with its defaults filled in, and with its `matchLabelKeys` as part of the selector. */
export interface SpreadConstraint {
  readonly topologyKey: string;
  readonly maxSkew: number;
  readonly minDomains: number;
  readonly honorsAffinity: boolean;
  readonly honorsTaints: boolean;
  readonly selector: LabelSelector | undefined;
}

/** The constraints in the pod's spec. */
export const spreadsOf = ({ spec }: Pod): readonly Spread[] =>
  (spec['topologySpreadConstraints'] as readonly Spread[] | undefined) ?? [];

/** Reads a constraint of the pod. */
export const spreadConstraint = (spread: Spread, pod: Pod): SpreadConstraint => ({
  topologyKey: spread.topologyKey ?? '',
  maxSkew: spread.maxSkew ?? 1,
  minDomains: spread.minDomains ?? 1,
  honorsAffinity: spread.nodeAffinityPolicy !== 'Ignore',
  honorsTaints: spread.nodeTaintsPolicy === 'Honor',
  selector: withLabelKeys(spread.labelSelector, spread.matchLabelKeys, pod, 'In'),
});

/** The constraints that a node must meet. */
export const hardConstraints = (pod: Pod): readonly SpreadConstraint[] =>
  spreadsOf(pod)
    .filter(({ whenUnsatisfiable }) => whenUnsatisfiable === 'DoNotSchedule')
    .map((spread) => spreadConstraint(spread, pod));

/** Whether the node has a label for each of the constraints. */
export const hasAllTopologies = ({ metadata }: Node, constraints: readonly SpreadConstraint[]): boolean =>
  constraints.every(({ topologyKey }) => ownMember(metadata.labels, topologyKey) !== undefined);

/** Whether the pods of the node count for the constraint: `nodeAffinityPolicy` and `nodeTaintsPolicy`. */
export const isCounted = (
  { honorsAffinity, honorsTaints }: SpreadConstraint,
  pod: Pod,
  node: Node,
  matchesAffinity: NodeMatch,
): boolean => (!honorsAffinity || matchesAffinity(node)) && (!honorsTaints || toleratesAll(pod, node));

/** Whether `other` is of the pod's namespace, selected by the constraint and not being deleted. */
export const countsAs = (other: Pod, { metadata }: Pod, { selector }: SpreadConstraint): boolean =>
  other.metadata.deletionTimestamp === undefined &&
  other.metadata.namespace === metadata.namespace &&
  selects(selector, other.metadata.labels);

/** An empty selector counts no pod. Source: kubernetes v1.34 `podtopologyspread` `countPodsMatchSelector`. */
const countsNone = ({ selector }: SpreadConstraint): boolean => !selector || isEmptySelector(selector);

/** How many of `others` count for the constraint of `pod`. */
export const countMatching = (others: readonly Pod[], pod: Pod, constraint: SpreadConstraint): number =>
  countsNone(constraint) ? 0 : others.filter((other) => countsAs(other, pod, constraint)).length;

/** How many of the bound pods count for the constraint of `pod`, by node. */
export const matchingByNode = (
  { labelled }: BoundPods,
  { metadata }: Pod,
  constraint: SpreadConstraint,
): NodeTally => {
  if (countsNone(constraint)) return sumOfTallies([]);
  const groups = labelled.selected(metadata.namespace ?? '', constraint.selector);
  return sumOfTallies(groups.filter((group) => !group.isTerminating).map(({ byNode }) => byNode));
};
