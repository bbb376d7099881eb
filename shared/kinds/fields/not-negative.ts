import type { FieldError } from '../../kube/errors/field-error.ts';
import { invalidValue } from '../../kube/errors/field-error.ts';

/** An absent number counts as 0. Source: apimachinery v1.34 `ValidateNonnegativeField`. */
export const notNegative = (value: number | undefined, field: string): readonly FieldError[] =>
  value !== undefined && value < 0 ? [invalidValue(field, value, 'must be greater than or equal to 0')] : [];

/** The same for some of the numbers of `values`, whose path is `at`. What is not a number is left to the schema. */
export const noneNegative = (
  values: Readonly<Record<string, unknown>>,
  parts: readonly string[],
  at: string,
): readonly FieldError[] =>
  parts.flatMap((part) => {
    const value = values[part];
    return typeof value === 'number' ? notNegative(value, `${at}.${part}`) : [];
  });
