/** Rules for the label keys that select pods with the same value as the owner. Source: core validation v1.34 `ValidateMatchLabelKeysAndMismatchLabelKeys`. */

import type { FieldError } from '../../kube/errors/field-error.ts';
import { forbiddenField, invalidValue } from '../../kube/errors/field-error.ts';
import type { KeyedSelector } from '../../kube/types/affinity.ts';
import type { LabelSelector } from '../../kube/types/meta.ts';
import { qualifiedNameFaults } from '../../kube/values/names.ts';

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

/**
 * The creation of a Pod has added a requirement for each key, so a key that the client's selector has, too, is there twice. Kubernetes
 * prints the path without the field's name here.
 */
const repeatedFaults = (
  { matchLabelKeys = [], labelSelector = {} }: KeyedSelector,
  at: string,
): readonly FieldError[] => {
  const { matchLabels = {}, matchExpressions = [] } = labelSelector;
  const places = new Map(matchLabelKeys.map((key, index) => [key, index]));
  const seen = new Set(Object.keys(matchLabels));
  return matchExpressions.flatMap(({ key = '' }) => {
    const place = places.get(key);
    const isRepeated = place !== undefined && seen.has(key);
    seen.add(key);
    return isRepeated
      ? [invalidValue(`${at}[${place}]`, key, 'exists in both matchLabelKeys and labelSelector')]
      : [];
  });
};

/** `at` is the path of the constraint or term. */
export const validateLabelKeys = (term: KeyedSelector, at: string): readonly FieldError[] => {
  const { matchLabelKeys = [], mismatchLabelKeys = [], labelSelector } = term;
  const field = `${at}.matchLabelKeys`;
  const mismatched = new Set(mismatchLabelKeys);
  return [
    ...validateKeys(matchLabelKeys, labelSelector, field),
    ...validateKeys(mismatchLabelKeys, labelSelector, `${at}.mismatchLabelKeys`),
    ...repeatedFaults(term, at),
    ...matchLabelKeys.flatMap((key, index) =>
      mismatched.has(key)
        ? [invalidValue(`${field}[${index}]`, key, 'exists in both matchLabelKeys and mismatchLabelKeys')]
        : [],
    ),
  ];
};
