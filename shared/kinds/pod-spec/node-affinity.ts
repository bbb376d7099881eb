/**
 * Rules for a Pod's node affinity. Source: core validation v1.34 `validateNodeAffinity`,
 * `ValidateNodeSelectorRequirement`.
 */

import type { FieldError } from '../../kube/errors/field-error.ts';
import { forbiddenField, invalidValue, required } from '../../kube/errors/field-error.ts';
import type {
  NodeAffinity,
  NodeSelector,
  NodeSelectorRequirement,
  NodeSelectorTerm,
  PreferredSchedulingTerm,
} from '../../kube/types/affinity.ts';
import { dnsSubdomainFaults, labelValueFaults, qualifiedNameFaults } from '../../kube/values/names.ts';

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
  { key = '', operator = '', values = [] }: NodeSelectorRequirement,
  at: string,
): readonly FieldError[] => [
  ...(OPERATORS.includes(operator)
    ? valuesFaults(operator, values.length, `${at}.values`)
    : [invalidValue(`${at}.operator`, operator, 'not a valid selector operator')]),
  ...qualifiedNameFaults(key).map((fault) => invalidValue(`${at}.key`, key, fault)),
];

const labelFaults = ({ values = [] }: NodeSelectorRequirement, at: string): readonly FieldError[] =>
  values.flatMap((value, index) =>
    labelValueFaults(value).map((fault) => invalidValue(`${at}.values[${index}]`, value, fault)),
  );

const ONE_VALUE = "must be only one value when `operator` is 'In' or 'NotIn' for node field selector";

/** `metadata.name` is the only field by which nodes can be selected. */
const validateField = (
  { key = '', operator = '', values = [] }: NodeSelectorRequirement,
  at: string,
): readonly FieldError[] => {
  const operators = ['In', 'NotIn'].includes(operator)
    ? values.length === 1
      ? []
      : [required(`${at}.values`, ONE_VALUE)]
    : [invalidValue(`${at}.operator`, operator, 'not a valid selector operator')];
  if (key !== 'metadata.name')
    return [...operators, invalidValue(`${at}.key`, key, 'not a valid field selector key')];
  const names = values.flatMap((name, index) =>
    dnsSubdomainFaults(name).map((fault) => invalidValue(`${at}.values[${index}]`, name, fault)),
  );
  return [...operators, ...names];
};

/** Invalid label values are an error in a required term, but allowed in a preferred one. */
const validateTerm = (
  { matchExpressions = [], matchFields = [] }: NodeSelectorTerm,
  at: string,
  isNeeded: boolean,
): readonly FieldError[] => [
  ...matchExpressions.flatMap((requirement, index) => {
    const here = `${at}.matchExpressions[${index}]`;
    return [...validateRequirement(requirement, here), ...(isNeeded ? labelFaults(requirement, here) : [])];
  }),
  ...matchFields.flatMap((requirement, index) => validateField(requirement, `${at}.matchFields[${index}]`)),
];

const validateRequired = (terms: readonly NodeSelectorTerm[], at: string): readonly FieldError[] =>
  terms.length === 0
    ? [required(at, 'must have at least one node selector term')]
    : terms.flatMap((term, index) => validateTerm(term, `${at}[${index}]`, true));

const validatePreferred = (
  { weight = 0, preference = {} }: PreferredSchedulingTerm,
  at: string,
): readonly FieldError[] => [
  ...(weight >= 1 && weight <= 100
    ? []
    : [invalidValue(`${at}.weight`, weight, 'must be in the range 1-100')]),
  ...validateTerm(preference, `${at}.preference`, false),
];

/** Rules for a node selector, of whose terms a node must match one. */
export const validateNodeSelector = (
  { nodeSelectorTerms = [] }: NodeSelector,
  at: string,
): readonly FieldError[] => validateRequired(nodeSelectorTerms, `${at}.nodeSelectorTerms`);

/** Rules for required terms and for preferred terms with their weights. */
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
