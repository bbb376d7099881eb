/**
 * Server-side apply. Source: structured-merge-diff v6 `merge/update.go` (`Apply`); apimachinery v1.34
 * `structuredmerge.go`.
 */
import type { JsonObject } from '../json/json-object.ts';
import { compareObjects, hasChanges } from './compare.ts';
import { applyConflict } from './conflict.ts';
import { emptyObject } from './empty-object.ts';
import type { Manager, Managers } from './field-managers.ts';
import { managerId, writeManagers } from './field-managers.ts';
import type { FieldSet } from './field-set.ts';
import { emptySet, withoutSubtrees } from './field-set.ts';
import { remainingConflicts, withLastApplied } from './last-applied.ts';
import { afterChange, conflictsOf, tracked, withoutIgnored } from './ownership.ts';
import { pruned } from './prune.ts';
import { fieldSetOf } from './set-of.ts';
import type { Write } from './track.ts';
import { managersForApply } from './track.ts';
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

const withManager = (managers: Managers, write: Write, fields: FieldSet): Managers => {
  const id = managerId(write.name);
  const before = managers.get(id)?.time;
  const own: Manager = { ...write.name, ...(before === undefined ? {} : { time: before }), fields };
  return new Map([...managers, [id, own]]);
};

const withTime = (managers: Managers, id: string, time: string): Managers => {
  const own = managers.get(id);
  return own ? new Map([...managers, [id, { ...own, time }]]) : managers;
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
