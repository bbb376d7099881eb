/** Node selectors and node affinity of pods. Source: kubernetes v1.34 scheduler plugin `nodeaffinity`. */

import { ownMember } from '../../../kube/json/own-member.ts';
import type { Pod } from '../../../kube/types/core.ts';
import type { FilterPlugin, Refusal, ScorePlugin } from '../cluster/framework.ts';
import { commonNames, normalized } from '../cluster/framework.ts';
import type { NodeMatch, NodeSelectorTerm } from '../pods/node-selector.ts';
import { nodeSelectorMatch, termMatch } from '../pods/node-selector.ts';
import { schedulingSpec } from '../pods/scheduling-spec.ts';

const NAME = 'NodeAffinity';

const NOT_MATCHED: Refusal = {
  reasons: ["node(s) didn't match Pod's node affinity/selector"],
  isResolvable: false,
};

const requiredOf = (pod: Pod) =>
  schedulingSpec(pod).affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution;

/**
 * Whether a node meets the pod's node selector and its required node affinity.
 * Source: kubernetes v1.34 component-helpers `GetRequiredNodeAffinity`.
 */
export const requiredNodeAffinity = (pod: Pod): NodeMatch => {
  const selector = Object.entries(schedulingSpec(pod).nodeSelector ?? {});
  const required = requiredOf(pod);
  const matches = required ? nodeSelectorMatch(required) : () => true;
  return (node) =>
    selector.every(([key, value]) => ownMember(node.metadata.labels, key) === value) && matches(node);
};

/** The names that a term allows; `undefined` if it allows nodes of any name. */
const namesOf = ({ matchFields = [] }: NodeSelectorTerm): ReadonlySet<string> | undefined =>
  matchFields
    .filter(({ key, operator }) => key === 'metadata.name' && operator === 'In')
    .map(({ values = [] }): ReadonlySet<string> => new Set(values))
    .reduce<ReadonlySet<string> | undefined>((all, one) => (all ? commonNames(all, one) : one), undefined);

/** The only nodes that can match, if every term names its nodes. */
const onlyNames = (terms: readonly NodeSelectorTerm[]): ReadonlySet<string> | undefined => {
  const names = terms.map(namesOf);
  if (names.length === 0 || names.includes(undefined)) return undefined;
  return new Set(names.flatMap((one) => [...(one ?? [])]));
};

/** Keeps pods to the nodes that they require. Terms that name no node at all fail for the whole cluster. */
export const nodeAffinityFilter: FilterPlugin = {
  name: NAME,
  preFilter: (pod) => {
    const required = requiredOf(pod);
    if (!required && schedulingSpec(pod).nodeSelector === undefined) return undefined;
    const nodeNames = onlyNames(required?.nodeSelectorTerms ?? []);
    if (nodeNames?.size === 0) return { fault: 'pod affinity terms conflict' };
    const matches = requiredNodeAffinity(pod);
    const filter = ({ node }: { readonly node: Parameters<NodeMatch>[0] }) =>
      matches(node) ? undefined : NOT_MATCHED;
    return { filter, ...(nodeNames ? { nodeNames } : {}) };
  },
};

/** Adds up the weights of the preferred terms that a node matches. */
export const nodeAffinityScore: ScorePlugin = {
  name: NAME,
  weight: 2,
  score: (pod, nodes) => {
    const preferred =
      schedulingSpec(pod).affinity?.nodeAffinity?.preferredDuringSchedulingIgnoredDuringExecution ?? [];
    if (preferred.length === 0) return undefined;
    const terms = preferred.map(({ weight = 0, preference = {} }) => ({
      weight,
      matches: termMatch(preference),
    }));
    const sum = ({ node }: (typeof nodes)[number]): number =>
      terms.reduce((total, { weight, matches }) => (matches(node) ? total + weight : total), 0);
    return normalized(nodes.map(sum));
  },
};
