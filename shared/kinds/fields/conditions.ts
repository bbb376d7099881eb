/** Rules for conditions of `meta/v1`. Source: apimachinery v1.34 `meta/v1/validation` `ValidateConditions`. */
import type { FieldError } from '../../kube/errors/field-error.ts';
import { duplicate, invalidValue, notSupported, required } from '../../kube/errors/field-error.ts';
import type { Condition } from '../../kube/types/meta.ts';
import { qualifiedNameFaults } from '../../kube/values/names.ts';

const REASON = '[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?';
const REASON_RULE = `a condition reason must start with alphabetic character, optionally followed by a string of alphanumeric characters or '_,:', and must end with an alphanumeric character or '_' (e.g. 'my_name',  or 'MY_NAME',  or 'MyName',  or 'ReasonA,ReasonB',  or 'ReasonA:ReasonB', regex used for validation is '${REASON}')`;
const STATUSES = ['False', 'True', 'Unknown'] as const;

const reasonFaults = (reason: string, field: string): readonly FieldError[] => {
  if (reason === '') return [required(field, 'must be set')];
  return new RegExp(`^${REASON}$`).test(reason) ? [] : [invalidValue(field, reason, REASON_RULE)];
};

const validateCondition = (condition: Partial<Condition>, field: string): readonly FieldError[] => {
  const { type = '', status = '', observedGeneration = 0, lastTransitionTime, reason = '' } = condition;
  return [
    ...qualifiedNameFaults(type).map((fault) => invalidValue(`${field}.type`, type, fault)),
    ...((STATUSES as readonly string[]).includes(status)
      ? []
      : [notSupported(`${field}.status`, status, STATUSES)]),
    ...(observedGeneration < 0
      ? [
          invalidValue(
            `${field}.observedGeneration`,
            observedGeneration,
            'must be greater than or equal to zero',
          ),
        ]
      : []),
    ...(lastTransitionTime ? [] : [required(`${field}.lastTransitionTime`, 'must be set')]),
    ...reasonFaults(reason, `${field}.reason`),
  ];
};

/** Checks that condition types are unique and that each condition has a status, a reason and a time. */
export const validateConditions = (
  conditions: readonly Partial<Condition>[] = [],
  field: string,
): readonly FieldError[] => {
  const seen = new Set<string | undefined>();
  return conditions.flatMap((condition, index) => {
    const at = `${field}[${index}]`;
    const twice = seen.has(condition.type);
    seen.add(condition.type);
    return [...(twice ? [duplicate(`${at}.type`, condition.type)] : []), ...validateCondition(condition, at)];
  });
};
