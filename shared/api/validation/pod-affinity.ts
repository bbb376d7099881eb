/**
 * Rules for affinity between Pods. Source: core validation v1.34 `validatePodAffinityTerm`,
 * `validateWeightedPodAffinityTerms`.
 */
import type { FieldError } from '../field-error.ts';
import { forbiddenField, invalidValue, required } from '../field-error.ts';
import type { LabelSelector } from '../meta.ts';
import { dnsLabelFaults, qualifiedNameFaults } from './names.ts';
import { validateSelector } from './object-selector.ts';

/** A term of affinity between Pods. */
export interface PodAffinityTerm {
  readonly labelSelector?: LabelSelector;
  readonly namespaceSelector?: LabelSelector;
  readonly namespaces?: readonly string[];
  readonly topologyKey?: string;
  readonly matchLabelKeys?: readonly string[];
  readonly mismatchLabelKeys?: readonly string[];
}

interface Weighted {
  readonly weight?: number;
  readonly podAffinityTerm?: PodAffinityTerm;
}

/** `podAffinity` and `podAntiAffinity` have the same shape. */
export interface PodAffinity {
  readonly requiredDuringSchedulingIgnoredDuringExecution?: readonly PodAffinityTerm[];
  readonly preferredDuringSchedulingIgnoredDuringExecution?: readonly Weighted[];
}

const validateKeys = (
  keys: readonly string[],
  selector: LabelSelector | undefined,
  at: string,
): readonly FieldError[] => {
  if (keys.length === 0) return [];
  if (!selector) return [forbiddenField(at, 'must not be specified when labelSelector is not set')];
  return keys.flatMap((key, index) =>
    qualifiedNameFaults(key).map((fault) => invalidValue(`${at}[${index}]`, key, fault)),
  );
};

const validateLabelKeys = (
  { matchLabelKeys = [], mismatchLabelKeys = [], labelSelector }: PodAffinityTerm,
  at: string,
): readonly FieldError[] => [
  ...validateKeys(matchLabelKeys, labelSelector, `${at}.matchLabelKeys`),
  ...validateKeys(mismatchLabelKeys, labelSelector, `${at}.mismatchLabelKeys`),
  ...matchLabelKeys.flatMap((key, index) =>
    mismatchLabelKeys.includes(key)
      ? [
          invalidValue(
            `${at}.matchLabelKeys[${index}]`,
            key,
            'exists in both matchLabelKeys and mismatchLabelKeys',
          ),
        ]
      : [],
  ),
];

const validateTerm = (term: PodAffinityTerm, at: string): readonly FieldError[] => {
  const { topologyKey = '', namespaces = [] } = term;
  return [
    ...validateSelector(term.labelSelector, `${at}.labelSelector`),
    ...validateSelector(term.namespaceSelector, `${at}.namespaceSelector`),
    // Kubernetes prints the field in the singular and without an index here.
    ...namespaces.flatMap((name) =>
      dnsLabelFaults(name).map((fault) => invalidValue(`${at}.namespace`, name, fault)),
    ),
    ...validateLabelKeys(term, at),
    ...(topologyKey === '' ? [required(`${at}.topologyKey`, 'can not be empty')] : []),
    ...qualifiedNameFaults(topologyKey).map((fault) => invalidValue(`${at}.topologyKey`, topologyKey, fault)),
  ];
};

/** Rules for required terms and for preferred terms with their weights. */
export const validatePodAffinity = (affinity: PodAffinity, at: string): readonly FieldError[] => [
  ...(affinity.requiredDuringSchedulingIgnoredDuringExecution ?? []).flatMap((term, index) =>
    validateTerm(term, `${at}.requiredDuringSchedulingIgnoredDuringExecution[${index}]`),
  ),
  ...(affinity.preferredDuringSchedulingIgnoredDuringExecution ?? []).flatMap((wish, index) => {
    const { weight = 0, podAffinityTerm = {} } = wish;
    const here = `${at}.preferredDuringSchedulingIgnoredDuringExecution[${index}]`;
    return [
      ...(weight >= 1 && weight <= 100
        ? []
        : [invalidValue(`${here}.weight`, weight, 'must be in the range 1-100')]),
      ...validateTerm(podAffinityTerm, `${here}.podAffinityTerm`),
    ];
  }),
];
