/**
 * Server-side apply. Source: structured-merge-diff v6 `merge/update.go` (`Apply`); apimachinery v1.34
 * `structuredmerge.go`.
 */

import { StatusError } from '../errors/status-error.ts';
import { isObject, type JsonObject } from '../json/json-object.ts';
import { setMember } from '../json/own-member.ts';
import type { FieldType, StructType } from '../schema/field-types.ts';
import { optional } from '../values/optional.ts';
import { compareObjects, hasChanges } from './compare.ts';
import { emptyObject } from './empty-object.ts';
import { type Manager, type ManagerName, type Managers, managerId, writeManagers } from './field-managers.ts';
import {
  difference,
  emptySet,
  type FieldSet,
  intersection,
  isEmptySet,
  pathsOf,
  union,
  unionOf,
  withoutSubtrees,
} from './field-set.ts';
import { remainingConflicts, withLastApplied } from './last-applied.ts';
import { afterChange, conflictsOf, tracked, withoutIgnored } from './ownership.ts';
import { fieldElement, listElement, printPath } from './path-element.ts';
import { fieldSetOf, withStructs } from './set-of.ts';
import { managersForApply, type Write } from './track.ts';
import { isLeaf, isList, memberType } from './typed.ts';
import { mergeTyped } from './typed-merge.ts';

const NONE: ReadonlyMap<string, FieldSet> = new Map();

interface LiveObject {
  readonly metadata: { readonly managedFields?: unknown };
}

/** An apply: the write, and how it treats conflicts. */
export interface Application {
  readonly write: Write;
  /** Takes conflicting fields over from other managers instead of failing. */
  readonly force: boolean;
}

interface Conflicts {
  readonly manager: string;
  readonly paths: readonly string[];
}

const withManager = (managers: Managers, write: Write, fields: FieldSet): Managers => {
  const id = managerId(write.name);
  const before = managers.get(id)?.time;
  const own: Manager = { ...write.name, ...optional('time', before), fields };
  return new Map([...managers, [id, own]]);
};

const withTime = (managers: Managers, id: string, time: string): Managers => {
  const own = managers.get(id);
  return own ? new Map([...managers, [id, { ...own, time }]]) : managers;
};

const keep = (value: unknown, set: FieldSet | undefined, type: FieldType | undefined): readonly unknown[] => {
  if (set?.isMember) return [];
  return [set && type ? withoutFields(value, set, type) : value];
};

const withoutMembers = (value: object, { children }: FieldSet, type: FieldType): object => {
  const members: Record<string, unknown> = {};
  for (const [name, inner] of Object.entries(value)) {
    const set = children.get(fieldElement(name));
    const kept = set ? keep(inner, set, memberType(type, name)) : [inner];
    for (const one of kept) setMember(members, name, one);
  }
  return members;
};

/** `value` without the fields in `set` and everything below them. Source: structured-merge-diff v6 `typed/remove.go`. */
const withoutFields = (value: unknown, set: FieldSet, type: FieldType): unknown => {
  if (isLeaf(type) || set.children.size === 0) return value;
  if (isList(type) && Array.isArray(value))
    return value.flatMap((element) => keep(element, set.children.get(listElement(element, type)), type.of));
  return isObject(value) ? withoutMembers(value, set, type) : value;
};

/**
 * Removes from `merged` the fields that the applying manager owned before (`last`) and that no manager owns now. `owners` are
 * the sets of all managers, including the new configuration. Source: structured-merge-diff v6 `merge/update.go` (`prune`).
 */
const pruned = (merged: object, last: FieldSet, owners: readonly FieldSet[], type: StructType): object => {
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

const merge = (live: object, config: object, before: Managers, managers: Managers, write: Write): object => {
  const last = before.get(managerId(write.name))?.fields ?? emptySet();
  const merged = mergeTyped(live, config, write.schema) as object;
  const owners = [...managers.values()].map(({ fields }) => fields);
  return pruned(merged, last, owners, write.schema);
};

const conflictsWith = (managers: Managers, conflicts: ReadonlyMap<string, FieldSet>) =>
  [...conflicts]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .flatMap(([id, fields]) => {
      const manager = managers.get(id);
      return manager ? [[manager, fields] as const] : [];
    });

const printManager = ({ manager, operation, apiVersion, subresource }: ManagerName): string => {
  const name = `${JSON.stringify(manager)}${subresource ? ` with subresource ${JSON.stringify(subresource)}` : ''}`;
  return operation === 'Update' ? `${name} using ${apiVersion}` : name;
};

const summaryOf = (all: readonly Conflicts[]): string => {
  const count = all.reduce((sum, { paths }) => sum + paths.length, 0);
  const [first] = all;
  if (count === 1 && first)
    return `Apply failed with 1 conflict: conflict with ${first.manager}: ${first.paths.join('')}`;
  const lines = all.flatMap(({ manager, paths }) => [
    `conflicts with ${manager}:`,
    ...paths.map((path) => `- ${path}`),
  ]);
  return `Apply failed with ${count} conflicts: ${lines.join('\n')}`;
};

/**
 * A 409 that names each conflicting field and its manager. Source: apimachinery v1.34
 * `util/managedfields/internal/conflict.go`.
 */
const applyConflict = (conflicts: readonly (readonly [ManagerName, FieldSet])[]): StatusError => {
  const all = conflicts.map(([manager, fields]) => ({
    manager: printManager(manager),
    paths: pathsOf(fields).map(printPath),
  }));
  const causes = all.flatMap(({ manager, paths }) =>
    paths.map((field) => ({ reason: 'FieldManagerConflict', message: `conflict with ${manager}`, field })),
  );
  return new StatusError('Conflict', summaryOf(all), { causes });
};

/**
 * Applies a configuration. Returns the new object and its managers. `live` is `undefined` if the object does not exist yet.
 * Throws 409 for fields that other managers own, unless forced.
 */
export const applyConfiguration = (
  live: LiveObject | undefined,
  config: JsonObject,
  { write, force }: Application,
): { readonly object: object; readonly managedFields: readonly JsonObject[] } => {
  const before: LiveObject = live ?? { ...emptyObject(write.schema), metadata: {} };
  const id = managerId(write.name);
  const met = managersForApply(before, live === undefined, write);
  const managers = withManager(met, write, withoutSubtrees(fieldSetOf(config, write.schema), write.ignored));
  const object = merge(before, config, met, managers, write);
  const comparison = withoutIgnored(compareObjects(before, object, write.schema), write.ignored);
  const conflicts = conflictsOf(managers, id, comparison);
  const refused = force ? NONE : remainingConflicts(conflicts, before, write.name.manager, write.schema);
  if (refused.size > 0) throw applyConflict(conflictsWith(managers, refused));
  const after = afterChange(managers, id, comparison);
  const own = after.get(id);
  const stripped = own ? new Map([...after, [id, { ...own, fields: tracked(own.fields) }]]) : after;
  // An apply without changes keeps the manager's old time.
  const timed = hasChanges(comparison) ? withTime(stripped, id, write.time) : stripped;
  return {
    object: withLastApplied(object, config, write.name.manager),
    managedFields: writeManagers(timed),
  };
};
