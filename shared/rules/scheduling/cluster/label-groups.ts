/** Bound pods in groups of equal labels: a selector is asked once for each group, however many pods there are in it. */

import { selects } from '../../../kube/selector/object-selector.ts';
import type { Pod } from '../../../kube/types/core.ts';
import type { LabelSelector } from '../../../kube/types/meta.ts';
import type { NodeTally } from './node-tally.ts';
import { addToTally } from './node-tally.ts';

/** Pods of one namespace that have equal labels, and of which all or none are being deleted. */
export interface LabelGroup {
  readonly metadata: {
    readonly namespace: string;
    readonly labels: Readonly<Record<string, string>>;
  };
  readonly isTerminating: boolean;
  readonly byNode: NodeTally;
}

type KeptGroup = LabelGroup & { readonly byNode: Map<string, number> };

/** The groups of one namespace. */
interface Groups {
  readonly byIdentity: Map<string, KeptGroup>;
  /** The groups with a label, by its key and then by its value. */
  readonly byLabel: Map<string, Map<string, Set<KeptGroup>>>;
}

/** The groups of all namespaces. */
export interface LabelGroups {
  /** The names of the namespaces that have bound pods. */
  namespaces(): Iterable<string>;
  /** The groups of the namespace that the selector selects. */
  selected(namespace: string, selector: LabelSelector | undefined): readonly LabelGroup[];
  add(pod: Pod, nodeName: string): void;
  /** The pod is the one that was added. */
  remove(pod: Pod, nodeName: string): void;
}

const isTerminating = ({ metadata }: Pod): boolean => metadata.deletionTimestamp !== undefined;

// Equal labels in another order only make one more group.
const identityOf = (pod: Pod): string => JSON.stringify([isTerminating(pod), pod.metadata.labels]);

const namespaceOf = ({ metadata }: Pod): string => metadata.namespace ?? '';

const enter = ({ byLabel }: Groups, group: KeptGroup): void => {
  for (const [key, value] of Object.entries(group.metadata.labels)) {
    const byValue = byLabel.get(key) ?? new Map<string, Set<KeptGroup>>();
    byLabel.set(key, byValue.set(value, (byValue.get(value) ?? new Set()).add(group)));
  }
};

const leave = ({ byLabel }: Groups, group: KeptGroup): void => {
  for (const [key, value] of Object.entries(group.metadata.labels)) {
    const byValue = byLabel.get(key);
    const groups = byValue?.get(value);
    groups?.delete(group);
    if (groups?.size === 0) byValue?.delete(value);
    if (byValue?.size === 0) byLabel.delete(key);
  }
};

const groupOf = (groups: Groups, pod: Pod): KeptGroup => {
  const identity = identityOf(pod);
  const known = groups.byIdentity.get(identity);
  if (known) return known;
  const metadata = { namespace: namespaceOf(pod), labels: pod.metadata.labels ?? {} };
  const group = { metadata, isTerminating: isTerminating(pod), byNode: new Map() };
  groups.byIdentity.set(identity, group);
  enter(groups, group);
  return group;
};

/** Labels of which a selected object has one: the requirements that name values. */
const namedLabels = ({
  matchLabels = {},
  matchExpressions = [],
}: LabelSelector): readonly (readonly [key: string, values: readonly string[]])[] => [
  ...Object.entries(matchLabels).map(([key, value]) => [key, [value]] as const),
  ...matchExpressions
    .filter(({ operator }) => operator === 'In')
    .map(({ key = '', values = [] }) => [key, [...new Set(values)]] as const),
];

/** All groups that the selector could select, by the requirement that fewest groups meet. */
const candidates = ({ byIdentity, byLabel }: Groups, selector: LabelSelector): Iterable<LabelGroup> => {
  let fewest: readonly ReadonlySet<LabelGroup>[] | undefined;
  let least = Number.POSITIVE_INFINITY;
  for (const [key, values] of namedLabels(selector)) {
    const sets = values.flatMap((value) => byLabel.get(key)?.get(value) ?? []);
    const size = sets.reduce((sum, set) => sum + set.size, 0);
    if (size < least) [fewest, least] = [sets, size];
  }
  return fewest ? fewest.flatMap((set) => [...set]) : byIdentity.values();
};

/** Creates groups without any pod. */
export const createLabelGroups = (): LabelGroups => {
  const all = new Map<string, Groups>();
  const drop = (groups: Groups, pod: Pod, group: KeptGroup): void => {
    groups.byIdentity.delete(identityOf(pod));
    leave(groups, group);
    if (groups.byIdentity.size === 0) all.delete(namespaceOf(pod));
  };
  return {
    namespaces: () => all.keys(),
    selected: (namespace, selector) => {
      const groups = all.get(namespace);
      if (!groups || !selector) return [];
      return [...candidates(groups, selector)].filter(({ metadata }) => selects(selector, metadata.labels));
    },
    add: (pod, nodeName) => {
      const groups = all.get(namespaceOf(pod)) ?? { byIdentity: new Map(), byLabel: new Map() };
      all.set(namespaceOf(pod), groups);
      addToTally(groupOf(groups, pod).byNode, nodeName, 1);
    },
    remove: (pod, nodeName) => {
      const groups = all.get(namespaceOf(pod));
      const group = groups?.byIdentity.get(identityOf(pod));
      if (!groups || !group) return;
      addToTally(group.byNode, nodeName, -1);
      if (group.byNode.size === 0) drop(groups, pod, group);
    },
  };
};
