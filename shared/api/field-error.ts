/** Faults of single fields, in the words that apimachinery prints. Source: apimachinery v1.34 `util/validation/field`. */
import { printedValue, quote } from './go-quote.ts';
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

/** One fault: a dotted path such as `metadata.taints[0].key`, its class, and the text after the path. */
export interface FieldError {
  readonly field: string;
  readonly reason: FieldErrorReason;
  readonly message: string;
}

/** Characters of a value that a message repeats. */
const MOST_CHARACTERS = 10_000;

const quoted = (value: unknown): string => {
  if (typeof value === 'string' && value.length > MOST_CHARACTERS)
    return `${quote(value.slice(0, MOST_CHARACTERS))}…`;
  const text = printedValue(value);
  return text.length > MOST_CHARACTERS ? `${text.slice(0, MOST_CHARACTERS)}…` : text;
};

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
  message: `Invalid value: ${quoted(value)}: ${detail}`,
});

export const notSupported = (field: string, value: unknown, supported: readonly string[]): FieldError => ({
  field,
  reason: 'FieldValueNotSupported',
  message: `Unsupported value: ${quoted(value)}: supported values: ${supported
    .map((one) => quote(one))
    .join(', ')}`,
});

export const duplicate = (field: string, value: unknown, detail = ''): FieldError => ({
  field,
  reason: 'FieldValueDuplicate',
  message: withDetail(`Duplicate value: ${quoted(value)}`, detail),
});

/** What the value names is not there. */
export const notFoundValue = (field: string, value: unknown): FieldError => ({
  field,
  reason: 'FieldValueNotFound',
  message: `Not found: ${quoted(value)}`,
});

export const forbiddenField = (field: string, detail: string): FieldError => ({
  field,
  reason: 'FieldValueForbidden',
  message: `Forbidden: ${detail}`,
});

/** A check that could not be made. */
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

/** A list of `actual` elements that may have `most`. */
export const tooMany = (field: string, actual: number, most: number): FieldError => ({
  field,
  reason: 'FieldValueTooMany',
  message: `Too many: ${actual}: must have at most ${most} items`,
});

/** Faults that are told of one object. */
const MOST_FAULTS = 100;

/** `metadata.name: Required value`, or several in brackets; a text that occurs twice is printed once. */
export const summarize = (errors: readonly FieldError[]): string => {
  const texts = [
    ...new Set(errors.slice(0, MOST_FAULTS).map(({ field, message }) => `${field}: ${message}`)),
    ...(errors.length > MOST_FAULTS ? [`and ${errors.length - MOST_FAULTS} more`] : []),
  ];
  return texts.length === 1 ? (texts[0] ?? '') : `[${texts.join(', ')}]`;
};

/** The 422 that carries `errors`, each as a cause. `kind` is the object's kind with its group. */
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
