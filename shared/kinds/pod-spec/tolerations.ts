import type { FieldError } from '../../kube/errors/field-error.ts';
import { forbiddenField, invalidValue, notSupported, tooMany } from '../../kube/errors/field-error.ts';
import type { Toleration } from '../../kube/types/core.ts';
import { TAINT_EFFECTS } from '../../kube/types/well-known.ts';
import { labelValueFaults, qualifiedNameFaults } from '../../kube/values/names.ts';

const keyFaults = ({ key = '', operator = '' }: Toleration, field: string): readonly FieldError[] => [
  ...(key === '' ? [] : qualifiedNameFaults(key).map((fault) => invalidValue(`${field}.key`, key, fault))),
  // Kubernetes names `operator` here, although the rule is about the key.
  ...(key === '' && operator !== 'Exists'
    ? [
        invalidValue(
          `${field}.operator`,
          operator,
          'operator must be Exists when `key` is empty, which means "match all values and all keys"',
        ),
      ]
    : []),
];

const secondsFaults = (
  { effect = '', tolerationSeconds }: Toleration,
  field: string,
): readonly FieldError[] =>
  tolerationSeconds !== undefined && effect !== 'NoExecute'
    ? [invalidValue(`${field}.effect`, effect, "effect must be 'NoExecute' when `tolerationSeconds` is set")]
    : [];

const operatorFaults = ({ operator = '', value = '' }: Toleration, field: string): readonly FieldError[] => {
  switch (operator) {
    case '':
    case 'Equal':
      return labelValueFaults(value).map((fault) => invalidValue(`${field}.operator`, value, fault));
    case 'Exists':
      return value === ''
        ? []
        : [invalidValue(`${field}.operator`, value, "value must be empty when `operator` is 'Exists'")];
    default:
      return [notSupported(`${field}.operator`, operator, ['Equal', 'Exists'])];
  }
};

const effectFaults = ({ effect = '' }: Toleration, field: string): readonly FieldError[] =>
  effect === '' || (TAINT_EFFECTS as readonly string[]).includes(effect)
    ? []
    : [notSupported(`${field}.effect`, effect, TAINT_EFFECTS)];

/**
 * Rules for the tolerations of a Pod. Negative seconds are allowed and mean 0. Source: core validation v1.34
 * `ValidateTolerations`.
 */
export const validateTolerations = (
  tolerations: readonly Toleration[] = [],
  field = 'spec.tolerations',
): readonly FieldError[] => {
  if (tolerations.length > MAX_TOLERATIONS) return [tooMany(field, tolerations.length, MAX_TOLERATIONS)];
  return tolerations.flatMap((toleration, index) => {
    const at = `${field}[${index}]`;
    return [keyFaults, secondsFaults, operatorFaults, effectFaults].flatMap((check) => check(toleration, at));
  });
};

/** Limit of the tolerations of a Pod: each is compared with each taint of its node. */
const MAX_TOLERATIONS = 250;

const identity = ({ key = '', operator = '', value = '', effect = '' }: Toleration): string =>
  [key, operator, value, effect].join('\n');

/** Tolerations may be added but not removed. Only `tolerationSeconds` of an existing toleration may change. */
export const validateTolerationsUpdate = (
  after: readonly Toleration[] = [],
  before: readonly Toleration[] = [],
  field = 'spec.tolerations',
): readonly FieldError[] => {
  const kept = new Set(after.map(identity));
  return before.every((toleration) => kept.has(identity(toleration)))
    ? []
    : [forbiddenField(field, 'existing toleration can not be modified except its tolerationSeconds')];
};
