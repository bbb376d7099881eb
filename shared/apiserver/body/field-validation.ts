/** The query parameter `fieldValidation`: how unknown and duplicate fields are treated. */
import type { HttpRequest } from '../contract/http.ts';
import { warn } from '../contract/warnings.ts';

/** Values of `fieldValidation`; `''` is the default. */
export const FIELD_VALIDATION = ['', 'Ignore', 'Strict', 'Warn'] as const;

type FieldValidation = Exclude<(typeof FIELD_VALIDATION)[number], ''>;

/** The request's field validation; the default is to warn. Other values were refused before. */
export const fieldValidationOf = (query: URLSearchParams): FieldValidation => {
  const value = query.get('fieldValidation');
  return value === 'Ignore' || value === 'Strict' ? value : 'Warn';
};

/**
 * Treats the faults of strict decoding, such as `unknown field "spec.foo"`, as `fieldValidation` asks: ignores
 * them, warns the client, or throws the error that `refuse` makes.
 */
export const heedFaults = (
  request: HttpRequest,
  faults: readonly string[],
  refuse: (why: string) => Error,
): void => {
  const validation = fieldValidationOf(request.query);
  if (faults.length === 0 || validation === 'Ignore') return;
  if (validation === 'Strict') throw refuse(`strict decoding error: ${faults.join(', ')}`);
  warn(request, faults);
};
