/** Rules for a Pod's node affinity. Source: core validation v1.34 `validateNodeAffinity`, `ValidateNodeSelectorRequirement`. */
import type { FieldError } from '../field-error.ts';
import { forbiddenField, invalidValue, required } from '../field-error.ts';
import { qualifiedNameFaults } from './names.ts';

interface Requirement {
  readonly key?: string;
  readonly operator?: string;
  readonly values?: readonly string[];
}

interface Term {
  readonly matchExpressions?: readonly Requirement[];
}

interface Preferred {
  readonly weight?: number;
  readonly preference?: Term;
}

export interface NodeAffinity {
  readonly requiredDuringSchedulingIgnoredDuringExecution?: { readonly nodeSelectorTerms?: readonly Term[] };
  readonly preferredDuringSchedulingIgnoredDuringExecution?: readonly Preferred[];
}

const valuesFaults = (operator: string, count: number, field: string): readonly FieldError[] => {
  if (operator === 'In' || operator === 'NotIn')
    return count > 0 ? [] : [required(field, "must be specified when `operator` is 'In' or 'NotIn'")];
  if (operator === 'Gt' || operator === 'Lt')
    return count === 1
      ? []
      : [required(field, "must be specified single value when `operator` is 'Lt' or 'Gt'")];
  return count === 0
    ? []
    : [forbiddenField(field, "may not be specified when `operator` is 'Exists' or 'DoesNotExist'")];
};

const OPERATORS: readonly string[] = ['In', 'NotIn', 'Exists', 'DoesNotExist', 'Gt', 'Lt'];

const validateRequirement = (
  { key = '', operator = '', values = [] }: Requirement,
  at: string,
): readonly FieldError[] => [
  ...(OPERATORS.includes(operator)
    ? valuesFaults(operator, values.length, `${at}.values`)
    : [invalidValue(`${at}.operator`, operator, 'not a valid selector operator')]),
  ...qualifiedNameFaults(key).map((fault) => invalidValue(`${at}.key`, key, fault)),
];

const validateTerm = ({ matchExpressions = [] }: Term, at: string): readonly FieldError[] =>
  matchExpressions.flatMap((requirement, index) =>
    validateRequirement(requirement, `${at}.matchExpressions[${index}]`),
  );

const validateRequired = (terms: readonly Term[], at: string): readonly FieldError[] =>
  terms.length === 0
    ? [required(at, 'must have at least one node selector term')]
    : terms.flatMap((term, index) => validateTerm(term, `${at}[${index}]`));

const validatePreferred = ({ weight = 0, preference = {} }: Preferred, at: string): readonly FieldError[] => [
  ...(weight >= 1 && weight <= 100
    ? []
    : [invalidValue(`${at}.weight`, weight, 'must be in the range 1-100')]),
  ...validateTerm(preference, `${at}.preference`),
];

/** Terms of labels' requirements; those that are only wished for have a weight. */
export const validateNodeAffinity = (affinity: NodeAffinity, at: string): readonly FieldError[] => {
  const needed = affinity.requiredDuringSchedulingIgnoredDuringExecution;
  return [
    ...(needed
      ? validateRequired(
          needed.nodeSelectorTerms ?? [],
          `${at}.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms`,
        )
      : []),
    ...(affinity.preferredDuringSchedulingIgnoredDuringExecution ?? []).flatMap((wish, index) =>
      validatePreferred(wish, `${at}.preferredDuringSchedulingIgnoredDuringExecution[${index}]`),
    ),
  ];
};
