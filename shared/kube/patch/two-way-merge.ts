/**
 * The strategic merge patch that turns one object into another. Source: apimachinery v1.34 `strategicpatch.CreateTwoWayMergePatch`.
 */

import { deepEqual } from '../json/deep-equal.ts';
import { isObject, type JsonObject } from '../json/json-object.ts';
import { byText } from '../text/compare-text.ts';

/** The key by which the elements of a list are merged, by the path of the list, such as `status.conditions`. Other lists are replaced. */
export type MergeKeys = Readonly<Record<string, string>>;

interface Place {
  readonly path: string;
  readonly keys: MergeKeys;
}

const inside = ({ path, keys }: Place, name: string): Place => ({
  path: path === '' ? name : `${path}.${name}`,
  keys,
});

type Elements = readonly JsonObject[];

/** Elements that are new, as they are; of those that differ, what differs; then those that are gone. */
const changedElements = (before: Elements, after: Elements, key: string, place: Place): Elements => {
  const old = new Map(before.map((element) => [element[key], element]));
  const kept = new Set(after.map((element) => element[key]));
  const changed = after.flatMap((element) => {
    const found = old.get(element[key]);
    if (!found) return [element];
    const patch = diffObjects(found, element, place);
    return Object.keys(patch).length > 0 ? [{ ...patch, [key]: element[key] }] : [];
  });
  const gone = before.map((element) => element[key]).filter((id) => !kept.has(id));
  const deleted = gone.toSorted((a, b) => byText(String(a), String(b)));
  return [...changed, ...deleted.map((id) => ({ $patch: 'delete', [key]: id }))];
};

/** The order is told wherever something changes, so that new elements come to their places. */
const diffLists = (
  name: string,
  before: Elements,
  after: Elements,
  key: string,
  place: Place,
): JsonObject => {
  if (before.length === 0) return after.length === 0 ? {} : { [name]: after };
  const list = changedElements(before, after, key, place);
  const order = after.map((element) => ({ [key]: element[key] }));
  const isSameOrder = deepEqual(
    order,
    before.map((element) => ({ [key]: element[key] })),
  );
  if (list.length === 0 && isSameOrder) return {};
  return {
    ...(list.length > 0 && { [name]: list }),
    ...(order.length > 0 && { [`$setElementOrder/${name}`]: order }),
  };
};

const diffMember = (name: string, before: unknown, after: unknown, place: Place): JsonObject => {
  // First of all, for elements of an equal list may share a key.
  if (deepEqual(before, after)) return {};
  if (after === undefined) return { [name]: null };
  if (isObject(before) && isObject(after)) {
    const patch = diffObjects(before, after, place);
    return Object.keys(patch).length > 0 ? { [name]: patch } : {};
  }
  const key = place.keys[place.path];
  if (key !== undefined && Array.isArray(before) && Array.isArray(after))
    return diffLists(name, before as Elements, after as Elements, key, place);
  return { [name]: after };
};

const diffObjects = (before: JsonObject, after: JsonObject, place: Place): JsonObject => {
  const names = new Set([...Object.keys(before), ...Object.keys(after)]);
  const parts = [...names].map((name) => diffMember(name, before[name], after[name], inside(place, name)));
  return Object.fromEntries(parts.flatMap((part) => Object.entries(part)));
};

/** The patch from `before` to `after`; without members if they are equal. A member that is `undefined` counts as absent. */
export const twoWayMergePatch = (before: JsonObject, after: JsonObject, keys: MergeKeys): JsonObject =>
  diffObjects(before, after, { path: '', keys });
