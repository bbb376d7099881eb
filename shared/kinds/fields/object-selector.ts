/** Rules for label selectors in objects. Source: apimachinery v1.34 `meta/v1/validation`. */
import type { FieldError } from '../../kube/errors/field-error.ts';
import { forbiddenField, invalidValue, required, tooMany } from '../../kube/errors/field-error.ts';
import { MAX_REQUIREMENTS } from '../../kube/selector/field-selector.ts';
import type { LabelSelector, LabelSelectorRequirement } from '../../kube/types/meta.ts';
import { labelValueFaults, qualifiedNameFaults } from '../../kube/values/names.ts';
import { validateLabels } from './metadata.ts';

const operatorFaults = (
  { operator = '', values = [] }: LabelSelectorRequirement,
  field: string,
): readonly FieldError[] => {
  switch (operator) {
    case 'In':
    case 'NotIn':
      return values.length > 0
        ? []
        : [required(`${field}.values`, "must be specified when `operator` is 'In' or 'NotIn'")];
    case 'Exists':
    case 'DoesNotExist':
      return values.length === 0
        ? []
        : [
            forbiddenField(
              `${field}.values`,
              "may not be specified when `operator` is 'Exists' or 'DoesNotExist'",
            ),
          ];
    default:
      return [invalidValue(`${field}.operator`, operator, 'not a valid selector operator')];
  }
};

const validateRequirement = (requirement: LabelSelectorRequirement, field: string): readonly FieldError[] => {
  const { key = '', values = [] } = requirement;
  return [
    ...operatorFaults(requirement, field),
    ...qualifiedNameFaults(key).map((fault) => invalidValue(`${field}.key`, key, fault)),
    ...values.flatMap((value, index) =>
      labelValueFaults(value).map((fault) => invalidValue(`${field}.values[${index}]`, value, fault)),
    ),
  ];
};

const sizeFaults = (
  { matchLabels = {}, matchExpressions = [] }: LabelSelector,
  field: string,
): readonly FieldError[] => {
  const count = Object.keys(matchLabels).length + matchExpressions.length;
  return count > MAX_REQUIREMENTS ? [tooMany(field, count, MAX_REQUIREMENTS)] : [];
};

/** Rules for a label selector. An absent selector is valid. */
export const validateSelector = (
  selector: LabelSelector | undefined,
  field: string,
): readonly FieldError[] => [
  ...sizeFaults(selector ?? {}, field),
  ...validateLabels(selector?.matchLabels, `${field}.matchLabels`),
  ...(selector?.matchExpressions ?? []).flatMap((requirement, index) =>
    validateRequirement(requirement, `${field}.matchExpressions[${index}]`),
  ),
];
