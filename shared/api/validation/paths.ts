/** Paths below a folder. Source: core validation v1.34 `validateLocalDescendingPath`, `validateLocalNonReservedPath`. */
import type { FieldError } from '../field-error.ts';
import { invalidValue } from '../field-error.ts';

/** A path that stays below where it starts. */
export const descendingFaults = (path: string, field: string): readonly FieldError[] => [
  ...(path.startsWith('/') ? [invalidValue(field, path, 'must be a relative path')] : []),
  ...(path.split('/').includes('..') ? [invalidValue(field, path, "must not contain '..'")] : []),
];

/** Such a path that no volume keeps for itself. */
export const ownPathFaults = (path: string, field: string): readonly FieldError[] => [
  ...descendingFaults(path, field),
  ...(path.startsWith('..') && !path.startsWith('../')
    ? [invalidValue(field, path, "must not start with '..'")]
    : []),
];
