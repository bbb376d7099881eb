/** Makes a new object of a kind, for the request of a client and for a controller alike. */

import { invalidObject } from '../../kube/errors/field-error.ts';
import { badRequest } from '../../kube/errors/status-error.ts';
import type { ApiObject, ObjectMeta } from '../../kube/types/meta.ts';
import type { EpochMs } from '../../kube/values/time.ts';
import { toTime } from '../../kube/values/time.ts';
import type { CreateDeps } from '../contract/create-deps.ts';
import { generateName, inNamespace } from '../contract/names.ts';
import type { Strategy } from '../contract/strategy.ts';
import type { User } from '../contract/user.ts';
import { admitObject } from './admission.ts';
import { checkNamespace } from './namespaces.ts';

/** One object to create, and the user that creates it. */
export interface Creation<T extends ApiObject> {
  readonly strategy: Strategy<T>;
  readonly given: T;
  readonly user: User;
  /** `''` for cluster-scoped kinds. */
  readonly namespace: string;
  /**
   * Adds managed fields after defaulting and before admission; `now` (ms) is the creation time. Controllers pass no
   * function: they own no fields.
   */
  readonly withOwner?: (object: T, now: EpochMs) => T;
}

/** An object that may be stored. */
export interface NewObject<T extends ApiObject> {
  readonly object: T;
  /** Texts that the caller sends to its client. */
  readonly warnings: readonly string[];
}

const SYSTEM_FIELDS: ReadonlySet<string> = new Set([
  'resourceVersion',
  'deletionTimestamp',
  'deletionGracePeriodSeconds',
  'selfLink',
]);

const bornMetadata = (metadata: ObjectMeta, deps: Pick<CreateDeps, 'ids'>, now: EpochMs): ObjectMeta => {
  const given = Object.fromEntries(Object.entries(metadata).filter(([name]) => !SYSTEM_FIELDS.has(name)));
  const name = metadata.name || (metadata.generateName ? generateName(metadata.generateName, deps.ids) : '');
  return { ...given, name, uid: deps.ids.uuid(), creationTimestamp: toTime(now) };
};

/** The given object in its namespace, with its own name, uid and creation time. Throws 400. */
const identified = <T extends ApiObject>(
  { given, namespace }: Creation<T>,
  deps: CreateDeps,
  now: EpochMs,
): T => {
  if (given.metadata.resourceVersion)
    throw badRequest('resourceVersion should not be set on objects to be created');
  const placed = inNamespace(given, namespace);
  return { ...placed, metadata: bornMetadata(placed.metadata, deps, now) };
};

interface Admitted<T extends ApiObject> {
  readonly object: T;
  /** The strategy with the other objects that validation of this object reads. */
  readonly prepared: Strategy<T>;
}

/** The defaulted object after admission. Throws 403 and 404. */
const admitted = async <T extends ApiObject>(
  { strategy, given, user, namespace }: Creation<T>,
  object: T,
  deps: CreateDeps,
): Promise<Admitted<T>> => {
  const admission = { user, operation: 'create', subresource: '', config: deps.config } as const;
  const subject = given.metadata.name || (given.metadata.generateName ?? '');
  const [prepared = strategy, row] = await Promise.all([
    strategy.prepared?.(object, deps),
    checkNamespace({ ...strategy.kind, namespace }, subject, deps.objects, strategy.admitsByNamespace),
  ]);
  const read = row ? { namespace: row.object } : {};
  return { object: admitObject(prepared, { ...admission, object, ...read }), prepared };
};

/**
 * The object that a create stores: defaulted, admitted and validated, with its own name and uid. Throws 400, 403, 404
 * and 422.
 */
export const newObject = async <T extends ApiObject>(
  creation: Creation<T>,
  deps: CreateDeps,
): Promise<NewObject<T>> => {
  const { strategy, withOwner } = creation;
  const now = deps.clock.now();
  const defaulted = strategy.defaults(identified(creation, deps, now));
  const owned = withOwner ? withOwner(defaulted, now) : defaulted;
  const { object: allowed, prepared } = await admitted(creation, owned, deps);
  const object = strategy.forCreate(allowed, now);
  const errors = prepared.validate(object);
  if (errors.length > 0) throw invalidObject(strategy.kind, object.metadata.name, errors);
  return { object, warnings: strategy.warnings?.(object) ?? [] };
};
