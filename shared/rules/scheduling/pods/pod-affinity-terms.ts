/** The terms of affinity between pods, as the scheduler reads them. Source: kubernetes v1.34 scheduler `framework.AffinityTerm`. */

import { selects } from '../../../kube/selector/object-selector.ts';
import type { PodAffinity, PodAffinityTerm } from '../../../kube/types/affinity.ts';
import type { Pod } from '../../../kube/types/core.ts';
import type { LabelSelector, ObjectMeta } from '../../../kube/types/meta.ts';
import { withMissingLabelKeys } from './label-keys.ts';
import type { NamespaceLabels } from './placement.ts';

/** A term with its owner's namespace filled in, and with its label keys as part of the selector. */
export interface AffinityTerm {
  readonly topologyKey: string;
  readonly selector: LabelSelector | undefined;
  readonly namespaces: readonly string[];
  readonly namespaceSelector: LabelSelector | undefined;
  /** How much a preferred term counts; negative for anti-affinity, 0 for a required term. */
  readonly weight: number;
}

/** All terms of a pod. */
export interface AffinityTerms {
  readonly affinity: readonly AffinityTerm[];
  readonly antiAffinity: readonly AffinityTerm[];
  /** The preferred terms of both kinds. */
  readonly preferred: readonly AffinityTerm[];
}

interface Affinity {
  readonly podAffinity?: PodAffinity;
  readonly podAntiAffinity?: PodAffinity;
}

const NO_TERMS: AffinityTerms = { affinity: [], antiAffinity: [], preferred: [] };

const selectorOf = (
  { labelSelector, matchLabelKeys, mismatchLabelKeys }: PodAffinityTerm,
  owner: Pod,
): LabelSelector | undefined =>
  withMissingLabelKeys(
    withMissingLabelKeys(labelSelector, matchLabelKeys, owner, 'In'),
    mismatchLabelKeys,
    owner,
    'NotIn',
  );

// A term that names no namespaces in either way means the namespace of its owner.
const namespacesOf = (
  { namespaces = [], namespaceSelector }: PodAffinityTerm,
  owner: Pod,
): readonly string[] =>
  namespaces.length === 0 && !namespaceSelector ? [owner.metadata.namespace ?? ''] : namespaces;

const read = (term: PodAffinityTerm, owner: Pod, weight: number): AffinityTerm => ({
  topologyKey: term.topologyKey ?? '',
  selector: selectorOf(term, owner),
  namespaces: namespacesOf(term, owner),
  namespaceSelector: term.namespaceSelector,
  weight,
});

const requiredTerms = (affinity: PodAffinity | undefined, owner: Pod): readonly AffinityTerm[] =>
  (affinity?.requiredDuringSchedulingIgnoredDuringExecution ?? []).map((term) => read(term, owner, 0));

const preferredTerms = (
  affinity: PodAffinity | undefined,
  owner: Pod,
  sign: 1 | -1,
): readonly AffinityTerm[] =>
  (affinity?.preferredDuringSchedulingIgnoredDuringExecution ?? []).map(
    ({ weight = 0, podAffinityTerm = {} }) => read(podAffinityTerm, owner, sign * weight),
  );

const affinityOf = ({ spec }: Pod): Affinity | undefined => {
  const affinity = spec['affinity'] as Affinity | undefined;
  return affinity?.podAffinity || affinity?.podAntiAffinity ? affinity : undefined;
};

/** Whether the pod has affinity or anti-affinity to other pods. */
export const hasAffinityTerms = (pod: Pod): boolean => affinityOf(pod) !== undefined;

/** Reads the terms of affinity and anti-affinity in the pod's spec. */
export const readAffinityTerms = (pod: Pod): AffinityTerms => {
  const { podAffinity, podAntiAffinity } = affinityOf(pod) ?? {};
  return {
    affinity: requiredTerms(podAffinity, pod),
    antiAffinity: requiredTerms(podAntiAffinity, pod),
    preferred: [...preferredTerms(podAffinity, pod, 1), ...preferredTerms(podAntiAffinity, pod, -1)],
  };
};

/** Caches the terms of pods that have some: preemption asks for those of one pod many times. */
const known = new WeakMap<Pod, AffinityTerms>();

/** The same, read once for each pod. */
export const affinityTermsOf = (pod: Pod): AffinityTerms => {
  if (!hasAffinityTerms(pod)) return NO_TERMS;
  const stored = known.get(pod);
  if (stored) return stored;
  const terms = readAffinityTerms(pod);
  known.set(pod, terms);
  return terms;
};

const NO_LABELS: Readonly<Record<string, string>> = {};

/** A pod, or what is the same for all pods of a group. */
export interface Labelled {
  readonly metadata: Pick<ObjectMeta, 'namespace' | 'labels'>;
}

/** Whether the term is about pods of the namespace. */
export const isAboutNamespace = (
  { namespaces, namespaceSelector }: AffinityTerm,
  namespace: string,
  labelsOf: NamespaceLabels,
): boolean =>
  namespaces.includes(namespace) || selects(namespaceSelector, labelsOf.get(namespace) ?? NO_LABELS);

/** Whether the term is about this pod, by its namespace and its labels. */
export const isAbout = (term: AffinityTerm, { metadata }: Labelled, labelsOf: NamespaceLabels): boolean =>
  isAboutNamespace(term, metadata.namespace ?? '', labelsOf) && selects(term.selector, metadata.labels);

/** Whether every one of the terms is about this pod; no if there are none. */
export const areAllAbout = (
  terms: readonly AffinityTerm[],
  pod: Labelled,
  labelsOf: NamespaceLabels,
): boolean => terms.length > 0 && terms.every((term) => isAbout(term, pod, labelsOf));
