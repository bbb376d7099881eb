/** Validation errors of single fields, worded as in Kubernetes. Source: apimachinery v1.34 `util/validation/field`. */
import { quote, shortened, shortValue } from '../text/go-quote.ts';
import type { StatusError } from './status-error.ts';
import { invalid } from './status-error.ts';

export type FieldErrorReason =
  | 'FieldValueRequired'
  | 'FieldValueInvalid'
  | 'FieldValueNotSupported'
  | 'FieldValueDuplicate'
  | 'FieldValueForbidden'
  | 'FieldValueNotFound'
  | 'FieldValueTooLong'
  | 'FieldValueTooMany'
  | 'InternalError';

/** One error: a dotted path such as `spec.taints[0].key`, its reason, and the text after the path. */
export interface FieldError {
  readonly field: string;
  readonly reason: FieldErrorReason;
  readonly message: string;
}

const withDetail = (message: string, detail: string): string =>
  detail === '' ? message : `${message}: ${detail}`;

export const required = (field: string, detail = ''): FieldError => ({
  field,
  reason: 'FieldValueRequired',
  message: withDetail('Required value', detail),
});

export const invalidValue = (field: string, value: unknown, detail: string): FieldError => ({
  field,
  reason: 'FieldValueInvalid',
  message: `Invalid value: ${shortValue(value)}: ${detail}`,
});

/** The value is wrong as a whole, and too long to be repeated. */
export const invalidWithoutValue = (field: string, detail: string): FieldError => ({
  field,
  reason: 'FieldValueInvalid',
  message: `Invalid value: ${detail}`,
});

export const notSupported = (field: string, value: unknown, supported: readonly string[]): FieldError => ({
  field,
  reason: 'FieldValueNotSupported',
  message: `Unsupported value: ${shortValue(value)}: supported values: ${supported
    .map((one) => quote(one))
    .join(', ')}`,
});

export const duplicate = (field: string, value: unknown, detail = ''): FieldError => ({
  field,
  reason: 'FieldValueDuplicate',
  message: withDetail(`Duplicate value: ${shortValue(value)}`, detail),
});

/** The value names something that does not exist. */
export const notFoundValue = (field: string, value: unknown): FieldError => ({
  field,
  reason: 'FieldValueNotFound',
  message: `Not found: ${shortValue(value)}`,
});

export const forbiddenField = (field: string, detail: string): FieldError => ({
  field,
  reason: 'FieldValueForbidden',
  message: `Forbidden: ${detail}`,
});

/** The check itself failed. */
export const internalFault = (field: string, detail: string): FieldError => ({
  field,
  reason: 'InternalError',
  message: `Internal error: ${detail}`,
});

export const tooLong = (field: string, detail: string): FieldError => ({
  field,
  reason: 'FieldValueTooLong',
  message: `Too long: ${detail}`,
});

/** The list has `actual` elements and may have `most`. */
export const tooMany = (field: string, actual: number, most: number): FieldError => ({
  field,
  reason: 'FieldValueTooMany',
  message: `Too many: ${actual}: must have at most ${most} items`,
});

/** The most errors that are reported for one object. */
const MOST_FAULTS = 100;

/**
 * Formats one error as `metadata.name: Required value`, several as a list in brackets. Equal texts are printed once.
 */
export const summarize = (errors: readonly FieldError[]): string => {
  const texts = [
    ...new Set(errors.slice(0, MOST_FAULTS).map(({ field, message }) => `${shortened(field)}: ${message}`)),
    ...(errors.length > MOST_FAULTS ? [`and ${errors.length - MOST_FAULTS} more`] : []),
  ];
  return texts.length === 1 ? (texts[0] ?? '') : `[${texts.join(', ')}]`;
};

/** A 422 with each of `errors` as a cause. `kind` is the object's kind with its group. */
export const invalidObject = (
  kind: { readonly kind: string; readonly group?: string },
  name: string,
  errors: readonly FieldError[],
): StatusError =>
  invalid(
    kind,
    name,
    summarize(errors),
    errors.slice(0, MOST_FAULTS).map(({ field, reason, message }) => ({ reason, message, field })),
  );
