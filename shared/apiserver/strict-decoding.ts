import type { StructType } from '../api/schema/field-types.ts';
import type { HttpRequest } from './http.ts';

/** What `fieldValidation=Strict` refuses in a patched object, such as `unknown field "spec.foo"`. Not looked for yet. */
export const strictDecodingFaults = (
  _request: HttpRequest,
  _patched: unknown,
  _schema: StructType,
): readonly string[] => [];
