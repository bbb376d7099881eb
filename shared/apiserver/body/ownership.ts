/**
 * Maintains `metadata.managedFields` of objects that requests write. Source: apiserver v1.34
 * `endpoints/handlers/fieldmanager`.
 */

import type { Strategy } from '../../kinds/contract/strategy.ts';
import { apiVersionOf } from '../../kinds/contract/strategy.ts';
import { deepEqual } from '../../kube/json/deep-equal.ts';
import type { Write } from '../../kube/managed-fields/track.ts';
import { trackCreate, trackUpdate } from '../../kube/managed-fields/track.ts';
import type { ApiObject, ManagedFieldsEntry } from '../../kube/types/meta.ts';
import type { EpochMs } from '../../kube/values/time.ts';
import { toTime } from '../../kube/values/time.ts';
import { isOnlyHeartbeat } from '../../rules/nodes/status-beat.ts';
import type { Call } from '../contract/call.ts';
import { fieldManagerOf } from './field-manager.ts';

/** A request's write to an object. */
export interface Writing<T extends ApiObject> {
  readonly call: Call;
  readonly strategy: Pick<Strategy<T>, 'kind' | 'schema' | 'forStatusUpdate'>;
  readonly now: EpochMs;
}

// A manager does not own the fields that the endpoint ignores. Kubernetes calls these reset fields.
const ignoredBy = <T extends ApiObject>({ call, strategy }: Writing<T>): Write['ignored'] => {
  if (call.info.subresource === 'status') return [['f:spec'], ['f:metadata', 'f:deletionTimestamp']];
  return strategy.forStatusUpdate ? [['f:status']] : [];
};

/** The write as field management sees it: manager, operation, endpoint and time. */
export const writeOf = <T extends ApiObject>(
  writing: Writing<T>,
  operation: 'Apply' | 'Update' = 'Update',
): Write => {
  const { call, strategy, now } = writing;
  const { subresource } = call.info;
  const name = { manager: fieldManagerOf(call.request), operation, apiVersion: apiVersionOf(strategy.kind) };
  return {
    schema: strategy.schema,
    name: subresource === '' ? name : { ...name, subresource },
    ignored: ignoredBy(writing),
    time: toTime(now),
  };
};

/** The object with these `managedFields`; without the member if there are none. */
export const withManagedFields = <T extends ApiObject>(
  object: T,
  managedFields: readonly ManagedFieldsEntry[],
): T => {
  const { managedFields: _given, ...metadata } = object.metadata;
  return { ...object, metadata: managedFields.length === 0 ? metadata : { ...metadata, managedFields } };
};

/** The new object, with its managed fields: the sender owns what it sent. */
export const ownedAfterCreate = <T extends ApiObject>(writing: Writing<T>, object: T): T =>
  withManagedFields(object, trackCreate(object, writeOf(writing)));

/** The changed object, with its managed fields: the sender owns what it changed. */
export const ownedAfterUpdate = <T extends ApiObject>(writing: Writing<T>, before: T, after: T): T =>
  withManagedFields(after, trackUpdate(before, after, writeOf(writing)));

const withoutTimes = ({ metadata }: ApiObject): readonly ManagedFieldsEntry[] =>
  (metadata.managedFields ?? []).map(({ time: _time, ...entry }) => entry);

/**
 * `after` with the times of `before` if nothing else differs, so that the write makes no new revision.
 * Heartbeat times do not count as a difference.
 */
export const withStoredTimes = <T extends ApiObject>(after: T, before: T): T => {
  const stored = before.metadata.managedFields;
  if (!stored || !deepEqual(withoutTimes(after), withoutTimes(before))) return after;
  const same = withManagedFields(after, stored);
  return isOnlyHeartbeat(same, before) ? same : after;
};
