/**
 * The objects that a token is bound to: without them the token is invalid. Source: kubernetes v1.34
 * `pkg/serviceaccount/claims.go`.
 */

import type { BoundObject, User } from '../../kinds/contract/user.ts';
import { unauthorized } from '../../kube/errors/status-error.ts';
import type { EpochMs } from '../../kube/values/time.ts';
import { parseTime } from '../../kube/values/time.ts';
import type { Clock } from '../../ports/process/clock.ts';
import type { ObjectStore } from '../../ports/store/object-store.ts';
import type { LiveRow, Row } from '../../ports/store/rows.ts';

const RESOURCES: Readonly<Record<BoundObject['kind'], string>> = {
  'own node': 'nodes',
  node: 'nodes',
  'service account': 'serviceaccounts',
  pod: 'pods',
  secret: 'secrets',
};

/**
 * Milliseconds for which a token stays valid after the deletion of a bound object that finalizers still keep.
 * Source: `jwt.DefaultLeeway`.
 */
const LEEWAY_MS = 60_000;

const REGISTER_AGAIN = 'register again and get a new token';

const isOver = (kind: BoundObject['kind'], { object }: LiveRow, now: EpochMs): boolean => {
  const { deletionTimestamp } = object.metadata;
  if (deletionTimestamp === undefined) return false;
  // A node's own token ends as soon as the deletion of the Node is requested: a finalizer does not prolong it.
  return kind === 'own node' || (parseTime(deletionTimestamp) ?? 0) + LEEWAY_MS <= now;
};

const ownNodeFault = ({ uid }: BoundObject, row: Row | undefined, now: EpochMs): string | undefined => {
  if (row?.state !== 'live' || row.uid !== uid)
    return `the Node that this token was made for was deleted; ${REGISTER_AGAIN}`;
  return isOver('own node', row, now) ? 'the Node that this token was made for is being deleted' : undefined;
};

const boundFault = ({ kind, name, uid }: BoundObject, row: Row | undefined, now: EpochMs) => {
  const isAccount = kind === 'service account';
  if (row?.state !== 'live')
    return isAccount ? `serviceaccounts "${name}" not found` : 'service account token has been invalidated';
  if (row.uid !== uid)
    return isAccount
      ? `service account UID (${row.uid}) does not match claim (${uid})`
      : `${kind} UID (${row.uid}) does not match service account ${kind} ref claim (${uid})`;
  return isOver(kind, row, now) ? 'service account token has been invalidated' : undefined;
};

const faultOf = async (
  bound: BoundObject,
  { objects, clock }: BoundObjectDeps,
): Promise<string | undefined> => {
  const { kind, namespace, name } = bound;
  const row = await objects.read({ resource: RESOURCES[kind], namespace, name });
  return kind === 'own node' ? ownNodeFault(bound, row, clock.now()) : boundFault(bound, row, clock.now());
};

/** What the check of bound objects reads. */
export interface BoundObjectDeps {
  readonly objects: Pick<ObjectStore, 'read'>;
  readonly clock: Pick<Clock, 'now'>;
}

/**
 * Throws 401 when an object that the user's token is bound to is gone or was replaced by another of the same
 * name. Costs one consistent read for each bound object. Nothing is cached, so a deletion takes effect with the
 * next request.
 */
export const checkBoundObjects = async (
  { boundTo = [] }: Pick<User, 'boundTo'>,
  deps: BoundObjectDeps,
): Promise<void> => {
  const faults = await Promise.all(boundTo.map((bound) => faultOf(bound, deps)));
  const fault = faults.find((one) => one !== undefined);
  if (fault !== undefined) throw unauthorized(`Unauthorized: ${fault}`);
};
