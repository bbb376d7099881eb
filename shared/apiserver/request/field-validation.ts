/** The query parameter `fieldValidation`: what happens to fields that nobody knows or that come twice. */
import type { HttpRequest } from '../http.ts';
import { warn } from './warnings.ts';

export const FIELD_VALIDATION = ['', 'Ignore', 'Strict', 'Warn'] as const;

type FieldValidation = Exclude<(typeof FIELD_VALIDATION)[number], ''>;

/** Without a wish clients are warned. Other values were refused with the options. */
export const fieldValidationOf = (query: URLSearchParams): FieldValidation => {
  const value = query.get('fieldValidation');
  return value === 'Ignore' || value === 'Strict' ? value : 'Warn';
};

/** Warns of `faults`, such as `unknown field "spec.foo"`, or throws what `refuse` makes of them. */
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
