/** Which of several NodeLifecyclePolicies holds: the most specific one, then the one with the highest priority. */
import { selectorsOverlap } from '../../kube/selector/selectors-overlap.ts';
import { byText } from '../../kube/text/compare-text.ts';
import type { LifecyclePolicy, LifecyclePolicySpec } from '../../kube/types/lifecycle-policy.ts';

/** Plural name of the resource. */
export const LIFECYCLE_POLICIES = 'nodelifecyclepolicies';
/** Maximum number of policies in a cluster. */
export const MOST_POLICIES = 100;

/** 0: all nodes; 1: some zones, or with an empty list none; 2: a node selector; 3: both. */
export const specificityOf = ({ zones, nodeSelector }: LifecyclePolicySpec): number =>
  (nodeSelector ? 2 : 0) + (zones ? 1 : 0);

const zonesOverlap = (
  { zones: some }: LifecyclePolicySpec,
  { zones: others }: LifecyclePolicySpec,
): boolean => some === undefined || others === undefined || some.some((zone) => others.includes(zone));

/** Whether neither policy comes before the other one, and both can select the same node. */
const areTied = (a: LifecyclePolicySpec, b: LifecyclePolicySpec): boolean =>
  specificityOf(a) === specificityOf(b) &&
  (a.priority ?? 0) === (b.priority ?? 0) &&
  zonesOverlap(a, b) &&
  selectorsOverlap(a.nodeSelector, b.nodeSelector);

const specOf = ({ spec = {} }: LifecyclePolicy): LifecyclePolicySpec => spec;
const nameOf = ({ metadata }: LifecyclePolicy): string => metadata.name;

/** The first of `others` that ties with `policy`; a policy never ties with itself. */
export const tieOf = (
  policy: LifecyclePolicy,
  others: readonly LifecyclePolicy[],
): LifecyclePolicy | undefined =>
  others.find((other) => nameOf(other) !== nameOf(policy) && areTied(specOf(policy), specOf(other)));

/** Older policies first; of those of one second the one whose name comes first. */
const byAge = (a: LifecyclePolicy, b: LifecyclePolicy): number =>
  byText(a.metadata.creationTimestamp ?? '', b.metadata.creationTimestamp ?? '') ||
  byText(nameOf(a), nameOf(b));

const byPrecedence = (a: LifecyclePolicy, b: LifecyclePolicy): number =>
  specificityOf(specOf(b)) - specificityOf(specOf(a)) ||
  (specOf(b).priority ?? 0) - (specOf(a).priority ?? 0) ||
  byText(nameOf(a), nameOf(b));

/** The policies that hold, and those that do not because an older one ties with them. */
export interface HeldPolicies {
  /** The first one that selects a node and sets a field decides the field. */
  readonly accepted: readonly LifecyclePolicy[];
  /** By name of the policy without effect: name of the older one. */
  readonly conflicts: ReadonlyMap<string, string>;
}

/**
 * Ties are refused when a policy is written. Two writes at the same time can still make one: then the older policy holds, and the other one
 * has no effect at all, whoever reads them.
 */
export const heldPolicies = (policies: readonly LifecyclePolicy[]): HeldPolicies => {
  const accepted: LifecyclePolicy[] = [];
  const conflicts = new Map<string, string>();
  for (const policy of policies.toSorted(byAge)) {
    const tie = tieOf(policy, accepted);
    if (tie) conflicts.set(nameOf(policy), nameOf(tie));
    else accepted.push(policy);
  }
  return { accepted: accepted.sort(byPrecedence), conflicts };
};
