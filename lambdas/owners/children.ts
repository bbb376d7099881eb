/** How controllers make, change and delete the children of an owner, within their turn. */

import { newObject } from '../../shared/kinds/admission/new-object.ts';
import type { CreateDeps } from '../../shared/kinds/contract/create-deps.ts';
import { apiVersionOf, type Strategy } from '../../shared/kinds/contract/strategy.ts';
import type { User } from '../../shared/kinds/contract/user.ts';
import { alreadyExists, badRequest, StatusError } from '../../shared/kube/errors/status-error.ts';
import { decode } from '../../shared/kube/schema/decode.ts';
import { DecodeError } from '../../shared/kube/schema/go-types.ts';
import type { ApiObject } from '../../shared/kube/types/meta.ts';
import type { EpochMs } from '../../shared/kube/values/time.ts';
import type { TurnCheck } from '../../shared/ports/store/owner-turns.ts';
import type { LiveRow, ObjectKey, RowCheck } from '../../shared/ports/store/rows.ts';
import { liveRow } from '../../shared/ports/store/rows.ts';
import { isReadyToGo, withDeletion } from '../../shared/rules/pods/deletion.ts';
import { TurnLost } from '../../shared/store/turns/owner-turns.ts';
import type { ObjectWrite, ObjectWriter } from '../../shared/store/writer/object-writer.ts';

const MAX_GENERATED_NAMES = 8;

/** Children written at the same time: each checks one of eight copies of the turn's number. */
export const AT_ONCE = 8;

/** What the writes of children need. */
export interface ChildDeps extends CreateDeps {
  readonly writer: ObjectWriter;
}

/** Who writes: the service account of a controller in kube-system, such as `replicaset-controller`. */
export type ControllerAccount = `${string}-controller`;

const serviceAccount = (account: ControllerAccount): User => ({
  name: `system:serviceaccount:kube-system:${account}`,
  groups: ['system:serviceaccounts'],
});

/** How a child is written. */
export interface ChildWrite {
  readonly turn: TurnCheck;
  /** Conditions on rows of other objects. */
  readonly rows?: readonly RowCheck[];
}

const conditionsOf = ({ turn, rows }: ChildWrite): Pick<ObjectWrite, 'turn' | 'rows' | 'writer'> => ({
  turn,
  writer: 'controller',
  ...(rows ? { rows } : {}),
});

const keyOf = ({ kind }: Pick<Strategy, 'kind'>, { metadata }: ApiObject): ObjectKey => ({
  resource: kind.resource,
  namespace: metadata.namespace ?? '',
  name: metadata.name,
});

/**
 * An object that a controller makes, as the API reads it from a client's body: without empty, null and unknown fields, quantities
 * canonical. Throws 400 for a field of a wrong type, such as in a template of a ControllerRevision that a client has made.
 */
export const asSent = <T extends ApiObject>(
  { kind, schema }: Pick<Strategy<T>, 'kind' | 'schema'>,
  made: T,
): T => {
  try {
    const decoded = {
      metadata: {},
      ...decode(made, schema),
      kind: kind.kind,
      apiVersion: apiVersionOf(kind),
    };
    return decoded as unknown as T;
  } catch (error) {
    throw error instanceof DecodeError ? badRequest(error.message) : error;
  }
};

/** Stores a new child; `undefined` if its name is taken. */
const store = async <T extends ApiObject>(
  { writer }: ChildDeps,
  key: ObjectKey,
  object: T,
  write: ChildWrite,
): Promise<T | undefined> => {
  const result = await writer.write(key, (row) =>
    liveRow(row) ? undefined : { next: object, ...conditionsOf(write) },
  );
  if (result.outcome === 'checkFailed') throw new TurnLost('another run has the turn');
  return result.outcome === 'written' ? (result.object as T) : undefined;
};

/**
 * Creates a child as the API would: decoding, defaults, admission, validation. Throws `TurnLost`, and the `StatusError` that a client would
 * get, such as 403 for a namespace that is being deleted. A generated name that is taken is tried again with
 * another suffix; `undefined`: an object of the given name is there.
 */
export const createChild = async <T extends ApiObject>(
  deps: ChildDeps,
  strategy: Strategy<T>,
  account: ControllerAccount,
  given: T,
  write: ChildWrite,
): Promise<T | undefined> => {
  const { group, resource } = strategy.kind;
  const creation = {
    strategy,
    given: asSent(strategy, given),
    user: serviceAccount(account),
    namespace: given.metadata.namespace ?? '',
  };
  for (let tries = 1; ; tries += 1) {
    const { object } = await newObject(creation, deps);
    const stored = await store(deps, keyOf(strategy, object), object, write);
    if (stored || given.metadata.name) return stored;
    if (tries >= MAX_GENERATED_NAMES) throw alreadyExists({ resource, group, name: object.metadata.name });
  }
};

/**
 * Changes a child that still has this uid; `change` returns the same object to leave it. Resolves to the object that is
 * stored now, or `undefined` if it is gone or a condition on another row failed. Throws `TurnLost`.
 */
export const changeChild = async <T extends ApiObject>(
  { writer }: Pick<ChildDeps, 'writer'>,
  { key, uid }: Pick<LiveRow, 'key' | 'uid'>,
  change: (object: T, now: EpochMs) => T,
  write: ChildWrite,
): Promise<T | undefined> => {
  let seen: T | undefined;
  const result = await writer.write(key, (row, now) => {
    const stored = liveRow(row);
    seen = stored?.uid === uid ? (stored.object as T) : undefined;
    const next = seen && change(seen, now);
    return next === undefined || next === seen ? undefined : { next, ...conditionsOf(write) };
  });
  // Which condition has failed is not known: if it was the turn, the next write without other conditions says so.
  if (result.outcome === 'checkFailed' && !write.rows) throw new TurnLost('another run has the turn');
  if (result.outcome === 'checkFailed') return undefined;
  return result.outcome === 'written' ? (result.object as T) : seen;
};

/**
 * Begins the deletion of a child that still has this uid, as a DELETE would, if `mayGo` says so of what is stored then. Resolves to
 * whether there was something to do.
 */
export const deleteChild = async <T extends ApiObject>(
  { writer }: Pick<ChildDeps, 'writer'>,
  strategy: Pick<Strategy<T>, 'graceSeconds'>,
  { key, uid }: Pick<LiveRow, 'key' | 'uid'>,
  write: ChildWrite,
  mayGo: (object: T) => boolean = () => true,
): Promise<boolean> => {
  const result = await writer.write(key, (row, now) => {
    const stored = liveRow(row);
    if (stored?.uid !== uid) return undefined;
    const object = stored.object as T;
    if (!mayGo(object)) return undefined;
    const next = withDeletion(object, strategy.graceSeconds?.(object, undefined) ?? 0, now);
    if (!isReadyToGo(next)) return next === object ? undefined : { next, ...conditionsOf(write) };
    return { next: 'delete', ...(strategy.graceSeconds ? { lastState: next } : {}), ...conditionsOf(write) };
  });
  if (result.outcome === 'checkFailed') throw new TurnLost('another run has the turn');
  return result.outcome === 'written';
};

/** Whether the error is one that a client would be told and has to mend, such as a priority class that does not exist. */
export const isRefusal = (error: unknown): error is StatusError =>
  error instanceof StatusError && error.code < 500 && error.code !== 429;
