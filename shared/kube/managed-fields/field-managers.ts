/**
 * Converts `metadata.managedFields` to sets of fields by manager and back. Source: apimachinery v1.34
 * `util/managedfields/internal/managedfields.go`.
 */
import type { JsonObject } from '../json/json-object.ts';
import { isObject } from '../json/json-object.ts';
import { optional } from '../values/optional.ts';
import type { FieldSet } from './field-set.ts';
import { fromFieldsV1, isEmptySet, toFieldsV1 } from './field-set.ts';

export interface ManagerName {
  readonly manager: string;
  readonly operation: 'Apply' | 'Update';
  readonly apiVersion: string;
  readonly subresource?: string;
}

export interface Manager extends ManagerName {
  /** RFC 3339 with whole seconds. */
  readonly time?: string;
  readonly fields: FieldSet;
}

/** Managers by `managerId`. */
export type Managers = ReadonlyMap<string, Manager>;

/**
 * The key of a manager. For an applier it does not contain the API version: it is the same manager in every version.
 */
export const managerId = ({ manager, operation, apiVersion, subresource }: ManagerName): string =>
  JSON.stringify({
    manager,
    operation,
    ...(operation === 'Apply' ? {} : { apiVersion }),
    ...(subresource ? { subresource } : {}),
  });

const text = (value: unknown): string => (typeof value === 'string' ? value : '');

const readEntry = (entry: unknown): Manager | undefined => {
  if (!isObject(entry)) return undefined;
  const { manager, operation, apiVersion, subresource, time, fieldsType, fieldsV1 } = entry;
  const fields = fromFieldsV1(fieldsV1 ?? {});
  if (!fields || fieldsType !== 'FieldsV1' || text(apiVersion) === '') return undefined;
  if (operation !== 'Apply' && operation !== 'Update') return undefined;
  return {
    manager: text(manager),
    operation,
    apiVersion: text(apiVersion),
    ...(text(subresource) ? { subresource: text(subresource) } : {}),
    ...(text(time) ? { time: text(time) } : {}),
    fields,
  };
};

/** Parses the wire form; `undefined` if an entry is invalid. */
export const readManagers = (entries: unknown): Managers | undefined => {
  const managers = new Map<string, Manager>();
  for (const entry of Array.isArray(entries) ? (entries as readonly unknown[]) : []) {
    const manager = readEntry(entry);
    if (!manager) return undefined;
    managers.set(managerId(manager), manager);
  }
  return managers;
};

/** Whether a client resets the list of managers, by sending a single empty entry. */
export const isReset = (entries: unknown): boolean =>
  Array.isArray(entries) &&
  entries.length === 1 &&
  isObject(entries[0]) &&
  Object.keys(entries[0]).length === 0;

const sortKey = ({ operation, time = '', manager, apiVersion, subresource = '' }: Manager) => [
  operation,
  time,
  manager,
  apiVersion,
  subresource,
];

const compareManagers = (a: Manager, b: Manager): number => {
  const [left, right] = [sortKey(a), sortKey(b)];
  for (const [index, part] of left.entries()) {
    const other = right[index] ?? '';
    if (part !== other) return part < other ? -1 : 1;
  }
  return 0;
};

const encode = ({ manager, operation, apiVersion, time, fields, subresource }: Manager): JsonObject => ({
  manager,
  operation,
  apiVersion,
  ...optional('time', time),
  fieldsType: 'FieldsV1',
  fieldsV1: toFieldsV1(fields),
  ...optional('subresource', subresource),
});

/** Formats the wire form, sorted by operation and time. Managers without fields are omitted. */
export const writeManagers = (managers: Managers): readonly JsonObject[] =>
  [...managers.values()]
    .filter(({ fields }) => !isEmptySet(fields))
    .sort(compareManagers)
    .map(encode);
