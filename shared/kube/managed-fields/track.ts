/**
 * Updates `metadata.managedFields` after writes other than apply. Source: apimachinery v1.34
 * `util/managedfields/internal/fieldmanager.go`.
 */
import type { JsonObject } from '../json/json-object.ts';
import type { StructType } from '../schema/field-types.ts';
import { compareObjects } from './compare.ts';
import { emptyObject } from './empty-object.ts';
import type { ManagerName, Managers } from './field-managers.ts';
import { isReset, readManagers, writeManagers } from './field-managers.ts';
import { afterUpdate, withoutIgnored } from './ownership.ts';

/** The manager of a write, its endpoint and its time. */
export interface Write {
  readonly schema: StructType;
  readonly name: ManagerName;
  /** Subtrees that this endpoint does not write, such as `['f:status']`. */
  readonly ignored: readonly (readonly string[])[];
  /** RFC 3339 with whole seconds. */
  readonly time: string;
}

const NOBODY: Managers = new Map();

const managersIn = (entries: unknown): Managers => readManagers(entries) ?? NOBODY;

/** The managers before a write: the list that the client sends, if it may send one, or else the stored list. */
const managersBefore = (given: unknown, stored: unknown, { name }: Write): Managers => {
  if (name.subresource) return managersIn(stored);
  if (isReset(given)) return NOBODY;
  const own = managersIn(given);
  return own.size > 0 ? own : managersIn(stored);
};

const changedBy = (before: object, after: object, write: Write, managers: Managers): Managers => {
  const comparison = withoutIgnored(compareObjects(before, after, write.schema), write.ignored);
  return afterUpdate(managers, write.name, comparison, write.time);
};

interface Meta {
  readonly metadata: { readonly managedFields?: unknown };
}

/** The `managedFields` of a new object. */
export const trackCreate = (given: Meta, write: Write): readonly JsonObject[] =>
  writeManagers(
    changedBy(
      emptyObject(write.schema),
      given,
      write,
      managersBefore(given.metadata.managedFields, [], write),
    ),
  );

/** The `managedFields` of a changed object. An object without managers gets none until it is first applied. */
export const trackUpdate = (before: Meta, after: Meta, write: Write): readonly JsonObject[] => {
  const managers = managersBefore(after.metadata.managedFields, before.metadata.managedFields, write);
  const whole = { ...emptyObject(write.schema), ...before };
  return managers.size === 0 ? [] : writeManagers(changedBy(whole, after, write, managers));
};

/** The managers before an apply. Fields of an object without managers get a manager `before-first-apply`. */
export const managersForApply = (live: Meta, isNew: boolean, write: Write): Managers => {
  const managers = managersIn(live.metadata.managedFields);
  if (managers.size > 0 || isNew) return managers;
  const { subresource, apiVersion } = write.name;
  const name = {
    manager: 'before-first-apply',
    operation: 'Update',
    apiVersion,
    ...(subresource ? { subresource } : {}),
  } as const;
  return changedBy(emptyObject(write.schema), live, { ...write, name }, managers);
};
