/** The patch that brings a Node's status and metadata up to date. Source: kubernetes v1.34 component-helpers `PatchNodeStatus`. */

import { deepEqual } from '../../../shared/kube/json/deep-equal.ts';
import { isObject, type JsonObject } from '../../../shared/kube/json/json-object.ts';
import { type MergeKeys, twoWayMergePatch } from '../../../shared/kube/patch/two-way-merge.ts';
import type { Node } from '../../../shared/kube/types/core.ts';

/** The lists whose elements a strategic merge patch finds by a member. */
const MERGE_KEYS: MergeKeys = {
  'status.addresses': 'type',
  'status.conditions': 'type',
  'metadata.ownerReferences': 'uid',
};

const isEmpty = (value: unknown): boolean => {
  if (value === undefined || value === null) return true;
  return (Array.isArray(value) ? value : isObject(value) ? Object.keys(value) : [value]).length === 0;
};

/** As it is on the wire, where an empty list or map is absent. */
const onWire = (holder: object): JsonObject =>
  Object.fromEntries(
    Object.entries(holder)
      .map(([key, value]) => [key, isObject(value) ? onWire(value) : value] as const)
      .filter(([, value]) => !isEmpty(value)),
  );

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
  const patch = twoWayMergePatch(onWire(left), onWire(right), MERGE_KEYS);
  return isReplaced ? withAddresses(patch, addresses) : patch;
};
