/** The patch that brings a Node's status and metadata up to date. Source: kubernetes v1.34 component-helpers `PatchNodeStatus`. */
import type { Node } from '../../../shared/api/core.ts';
import { deepEqual } from '../../../shared/api/deep-equal.ts';
import { isObject, type JsonObject } from '../../../shared/api/json-object.ts';

/** The lists whose elements a strategic merge patch finds by a member. */
const MERGE_KEYS: Readonly<Record<string, string>> = {
  'status.addresses': 'type',
  'status.conditions': 'type',
  'metadata.ownerReferences': 'uid',
};

type Elements = readonly JsonObject[];

const isEmpty = (value: unknown): boolean =>
  value === undefined ||
  value === null ||
  (Array.isArray(value) && value.length === 0) ||
  (isObject(value) && Object.values(value).every((member) => member === undefined));

/** As it is on the wire, where an empty list or map is absent. */
const memberOf = (holder: JsonObject, key: string): unknown => {
  const value = holder[key];
  return isEmpty(value) ? undefined : value;
};

/** Elements that are new, and what differs in the others, with the element's own key. */
const changedElements = (before: Elements, after: Elements, key: string): Elements =>
  after.flatMap((element) => {
    const known = before.find((one) => one[key] === element[key]);
    if (!known) return [element];
    const changes = objectChanges(known, element, '');
    return Object.keys(changes).length > 0 ? [{ ...changes, [key]: element[key] }] : [];
  });

const listChanges = (name: string, before: Elements, after: Elements, key: string): JsonObject => {
  const gone = before.filter((one) => after.every((other) => other[key] !== one[key]));
  const patch = [
    ...changedElements(before, after, key),
    ...gone.map((one) => ({ $patch: 'delete', [key]: one[key] })),
  ];
  return {
    ...(patch.length > 0 && { [name]: patch }),
    [`$setElementOrder/${name}`]: after.map((one) => ({ [key]: one[key] })),
  };
};

const memberChanges = (key: string, before: unknown, after: unknown, path: string): JsonObject => {
  if (deepEqual(before, after)) return {};
  if (after === undefined) return { [key]: null };
  if (isObject(after) && (before === undefined || isObject(before))) {
    const changes = objectChanges(before ?? {}, after, path);
    return Object.keys(changes).length > 0 ? { [key]: changes } : {};
  }
  const mergeKey = MERGE_KEYS[path];
  return mergeKey !== undefined && Array.isArray(before) && Array.isArray(after)
    ? listChanges(key, before as Elements, after as Elements, mergeKey)
    : { [key]: after };
};

const objectChanges = (before: JsonObject, after: JsonObject, path: string): JsonObject => {
  const changes: Record<string, unknown> = {};
  for (const key of new Set([...Object.keys(before), ...Object.keys(after)])) {
    const inner = path === '' ? key : `${path}.${key}`;
    Object.assign(changes, memberChanges(key, memberOf(before, key), memberOf(after, key), inner));
  }
  return changes;
};

/** Several addresses have one type, by which they would be merged. So a list that was there is replaced as a whole. */
const withAddresses = (patch: JsonObject, addresses: readonly unknown[]): JsonObject => ({
  ...patch,
  status: {
    ...(isObject(patch['status']) && patch['status']),
    addresses: [...addresses, { $patch: 'replace' }],
  },
});

/**
 * The body of a strategic merge patch of `/status` that makes `before` into `after`, whatever their specs; `{}` if they are equal. It
 * has no resourceVersion, and leaves the conditions of others as they are. Amounts are in canonical form.
 */
export const nodeStatusPatch = (before: Node, after: Node): JsonObject => {
  const [old = [], addresses = []] = [before.status?.addresses, after.status?.addresses];
  const isReplaced = old.length > 0 && !deepEqual(old, addresses);
  const compared = isReplaced ? { ...after, status: { ...after.status, addresses: old } } : after;
  const { spec: _before, ...left } = before;
  const { spec: _after, ...right } = compared;
  const patch = objectChanges(left, right, '');
  return isReplaced ? withAddresses(patch, addresses) : patch;
};
