/**
 * Rules for relative paths in volumes. Source: core validation v1.34 `validateLocalDescendingPath`,
 * `validateLocalNonReservedPath`.
 */
import type { FieldError } from '../../kube/errors/field-error.ts';
import { invalidValue } from '../../kube/errors/field-error.ts';

/** A path must be relative and must not contain `..`. */
export const descendingFaults = (path: string, field: string): readonly FieldError[] => [
  ...(path.startsWith('/') ? [invalidValue(field, path, 'must be a relative path')] : []),
  ...(path.split('/').includes('..') ? [invalidValue(field, path, "must not contain '..'")] : []),
];

/** A relative path must not begin with `..` either: volumes reserve such names. */
export const ownPathFaults = (path: string, field: string): readonly FieldError[] => [
  ...descendingFaults(path, field),
  ...(path.startsWith('..') && !path.startsWith('../')
    ? [invalidValue(field, path, "must not start with '..'")]
    : []),
];
