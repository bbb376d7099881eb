/** Finds what an apply removes. Source: structured-merge-diff v6 `merge/update.go` (`prune`). */
import type { StructType } from '../schema/field-types.ts';
import type { FieldSet } from './field-set.ts';
import { difference, intersection, isEmptySet, union, unionOf } from './field-set.ts';
import { withoutFields } from './remove.ts';
import { fieldSetOf, withStructs } from './set-of.ts';

/**
 * Removes from `merged` the fields that the applying manager owned before (`last`) and that no manager owns now.
 * `owners` are the sets of all managers, including the new configuration.
 */
export const pruned = (
  merged: object,
  last: FieldSet,
  owners: readonly FieldSet[],
  type: StructType,
): object => {
  if (isEmptySet(last)) return merged;
  const owned = unionOf(owners);
  const all = withStructs(fieldSetOf(merged, type), type);
  const had = withStructs(last, type);
  const fieldsWithout = (set: FieldSet): FieldSet =>
    withStructs(fieldSetOf(withoutFields(merged, set, type), type), type);
  // First remove everything that the manager had, then restore what others own and what it never had.
  const unowned = difference(all, union(fieldsWithout(had), withStructs(owned, type)));
  const gone = intersection(difference(all, fieldsWithout(unowned)), had);
  return withoutFields(merged, gone, type) as object;
};
