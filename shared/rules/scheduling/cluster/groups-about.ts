/** Which bound pods the terms of affinity between pods are about. */

import type { NamespaceLabels } from '../pods/placement.ts';
import type { AffinityTerm } from '../pods/pod-affinity-terms.ts';
import { isAbout, isAboutNamespace } from '../pods/pod-affinity-terms.ts';
import type { BoundPods } from './bound-pods.ts';
import type { LabelGroup } from './label-groups.ts';

const namespacesOf = (
  term: AffinityTerm,
  { labelled }: BoundPods,
  labelsOf: NamespaceLabels,
): readonly string[] =>
  term.namespaceSelector
    ? [...labelled.namespaces()].filter((name) => isAboutNamespace(term, name, labelsOf))
    : [...new Set(term.namespaces)];

/** The groups of pods that every one of the terms is about; none if there are no terms. */
export const groupsAbout = (
  [first, ...others]: readonly AffinityTerm[],
  bound: BoundPods,
  labelsOf: NamespaceLabels,
): readonly LabelGroup[] => {
  if (!first) return [];
  const groups = namespacesOf(first, bound, labelsOf).flatMap((name) =>
    bound.labelled.selected(name, first.selector),
  );
  return groups.filter((group) => others.every((term) => isAbout(term, group, labelsOf)));
};
