/**
 * Rules for affinity between Pods. Source: core validation v1.34 `validatePodAffinityTerm`,
 * `validateWeightedPodAffinityTerms`.
 */

import type { FieldError } from '../../kube/errors/field-error.ts';
import { invalidValue, required } from '../../kube/errors/field-error.ts';
import type { PodAffinity, PodAffinityTerm } from '../../kube/types/affinity.ts';
import { dnsLabelFaults, qualifiedNameFaults } from '../../kube/values/names.ts';
import { validateSelector } from '../fields/object-selector.ts';
import { validateLabelKeys } from './label-keys.ts';

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
