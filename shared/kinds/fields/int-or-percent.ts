/** Rules for a number of pods, or a share of them such as 25%. Source: kubernetes v1.34 `pkg/apis/apps/validation`. */
import type { FieldError } from '../../kube/errors/field-error.ts';
import { invalidValue } from '../../kube/errors/field-error.ts';
import { notNegative } from './not-negative.ts';

/** A number, or a text with a percent sign at its end. */
export type IntOrPercent = number | string;

const PERCENT_RULE =
  "a valid percent string must be a numeric string followed by an ending '%' (e.g. '1%',  or '93%', regex used for validation is '[0-9]+%')";
const PERCENT = /^[0-9]+%$/;

/** Whether nothing is allowed by it; a text that is no percentage counts as nothing. */
export const isNone = (amount: IntOrPercent | undefined): boolean =>
  amount === undefined || amount === 0 || (typeof amount === 'string' && Number.parseInt(amount, 10) === 0);

export const validateIntOrPercent = (
  amount: IntOrPercent | undefined,
  field: string,
): readonly FieldError[] => {
  if (amount === undefined) return [];
  if (typeof amount === 'number') return notNegative(amount, field);
  return PERCENT.test(amount) ? [] : [invalidValue(field, amount, PERCENT_RULE)];
};

/** Numbers have no upper limit. */
export const notMoreThanAll = (amount: IntOrPercent | undefined, field: string): readonly FieldError[] =>
  typeof amount === 'string' && PERCENT.test(amount) && Number.parseInt(amount, 10) > 100
    ? [invalidValue(field, amount, 'must not be greater than 100%')]
    : [];
