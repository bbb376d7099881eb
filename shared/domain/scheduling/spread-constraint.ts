/** Topology spread constraints as the scheduler reads them. Source: kubernetes v1.34 `podtopologyspread` `common.go`. */
import type { Node, Pod } from '../../api/core.ts';
import type { LabelSelector } from '../../api/meta.ts';
import { ownMember } from '../../api/own-member.ts';
import { isEmptySelector, selects } from '../../api/selector/object-selector.ts';
import type { Spread } from '../../api/validation/topology-spread.ts';
import { withLabelKeys } from './label-keys.ts';
import type { NodeMatch } from './node-selector.ts';
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

/**
 * How many of `others` count for the constraint of `pod`. An empty selector counts none. Source: kubernetes v1.34 `podtopologyspread` `countPodsMatchSelector`.
 */
export const countMatching = (others: readonly Pod[], pod: Pod, constraint: SpreadConstraint): number => {
  if (!constraint.selector || isEmptySelector(constraint.selector)) return 0;
  let count = 0;
  for (const other of others) if (countsAs(other, pod, constraint)) count += 1;
  return count;
};
