/**
 * Computes the owners of fields after a write. Source: structured-merge-diff v6 `merge/update.go`; apimachinery v1.34
 * `util/managedfields/internal`.
 */

import { optional } from '../values/optional.ts';
import type { Comparison } from './compare.ts';
import type { Manager, ManagerName, Managers } from './field-managers.ts';
import { managerId } from './field-managers.ts';
import type { FieldSet } from './field-set.ts';
import { difference, intersection, isEmptySet, union, withoutSubtrees } from './field-set.ts';

/** How many managers of updates are listed separately. Source: apimachinery v1.34 `DefaultMaxUpdateManagers`. */
const MAX_UPDATE_MANAGERS = 10;

const UNTRACKED_METADATA = [
  'name',
  'namespace',
  'creationTimestamp',
  'selfLink',
  'uid',
  'clusterName',
  'generation',
  'managedFields',
  'resourceVersion',
];

/** Fields without an owner: those that identify the object and those that only the server writes. */
const UNTRACKED: readonly (readonly string[])[] = [
  ['f:apiVersion'],
  ['f:kind'],
  ...UNTRACKED_METADATA.map((name) => ['f:metadata', `f:${name}`]),
];

const ALL_METADATA: FieldSet = {
  isMember: false,
  children: new Map([['f:metadata', { isMember: true, children: new Map() }]]),
};

export const tracked = (fields: FieldSet): FieldSet => {
  const set = withoutSubtrees(fields, UNTRACKED);
  // In a new object, `metadata` itself counts as added. It has no owner either.
  return difference(set, ALL_METADATA);
};

/** The comparison without the subtrees that this endpoint does not write, such as `['f:status']`. */
export const withoutIgnored = (
  { added, modified, removed }: Comparison,
  ignored: readonly (readonly string[])[],
): Comparison => ({
  added: withoutSubtrees(added, ignored),
  modified: withoutSubtrees(modified, ignored),
  removed: withoutSubtrees(removed, ignored),
});

/** The fields that a write changes although other managers own them, by manager. */
export const conflictsOf = (
  managers: Managers,
  self: string,
  { added, modified }: Comparison,
): ReadonlyMap<string, FieldSet> => {
  const changed = union(modified, added);
  return new Map(
    [...managers]
      .filter(([id]) => id !== self)
      .map(([id, { fields }]) => [id, intersection(fields, changed)] as const)
      .filter(([, fields]) => !isEmptySet(fields)),
  );
};

/** The managers after a write by `self`. The others lose the fields that were changed or removed. */
export const afterChange = (managers: Managers, self: string, comparison: Comparison): Managers => {
  const lost = union(comparison.modified, comparison.added, comparison.removed);
  return new Map(
    [...managers].map(([id, manager]) =>
      id === self ? [id, manager] : [id, { ...manager, fields: difference(manager.fields, lost) }],
    ),
  );
};

const withOwn = (managers: Managers, name: ManagerName, gained: FieldSet, time: string): Managers => {
  const id = managerId(name);
  const before = managers.get(id);
  const fields = before ? union(gained, before.fields) : gained;
  return new Map([...managers, [id, { ...name, time, fields }]]);
};

const merged = (first: Manager, second: Manager): Manager => ({
  manager: 'ancient-changes',
  operation: 'Update',
  apiVersion: second.apiVersion,
  ...optional('time', second.time),
  fields: union(first.fields, second.fields),
});

const byId = (managers: readonly Manager[]): Managers =>
  new Map(managers.map((manager) => [managerId(manager), manager]));

const age = ({ time = '', manager }: Manager): string => `${time} ${manager}`;

const isOlder = (a: Manager, b: Manager): number => (age(a) < age(b) ? -1 : 1);

/** Merges the oldest managers at once if there are far too many, which only a client's own list can cause. */
const decimated = (updaters: readonly Manager[]): readonly Manager[] => {
  const surplus = updaters.length - 10 * MAX_UPDATE_MANAGERS;
  if (surplus <= 0) return updaters;
  const sorted = updaters.toSorted(isOlder);
  const [oldest, last] = [sorted.slice(0, surplus), sorted[surplus]];
  if (!last) return updaters;
  const ancient = merged(last, last);
  return [
    { ...ancient, fields: union(last.fields, ...oldest.map(({ fields }) => fields)) },
    ...sorted.slice(surplus + 1),
  ];
};

/** Merges the oldest managers into one if there are too many. Source: apimachinery v1.34 `capmanagers.go`. */
const capped = (managers: Managers): Managers => {
  const updaters = [...managers.values()].filter(({ operation }) => operation === 'Update');
  if (updaters.length <= MAX_UPDATE_MANAGERS) return managers;
  const others = [...managers.values()].filter(({ operation }) => operation !== 'Update');
  const few = decimated(updaters);
  if (few.length < updaters.length) return capped(byId([...others, ...few]));
  const [first, second] = updaters.toSorted(isOlder);
  if (!first || !second) return managers;
  const rest = [...managers.values()].filter((manager) => manager !== first && manager !== second);
  return capped(byId([...rest, merged(first, second)]));
};

/** The managers after an update by `name`, which now owns the fields that it set. */
export const afterUpdate = (
  managers: Managers,
  name: ManagerName,
  comparison: Comparison,
  time: string,
): Managers => {
  // A manager also keeps the fields that it owned before.
  const others = afterChange(managers, '', comparison);
  const gained = tracked(union(comparison.modified, comparison.added));
  return capped(isEmptySet(gained) ? others : withOwn(others, name, gained, time));
};
