import type { Writing } from '../../apiserver/body/ownership.ts';
import { ownedAfterCreate } from '../../apiserver/body/ownership.ts';
import type { Call } from '../../apiserver/contract/call.ts';
import { warn } from '../../apiserver/contract/warnings.ts';
import { invalidObject } from '../../kube/errors/field-error.ts';
import { badRequest } from '../../kube/errors/status-error.ts';
import type { ApiObject, ObjectMeta } from '../../kube/types/meta.ts';
import type { EpochMs } from '../../kube/values/time.ts';
import { toTime } from '../../kube/values/time.ts';
import type { CreateDeps } from '../contract/create-deps.ts';
import { generateName, inNamespace } from '../contract/names.ts';
import type { Strategy } from '../contract/strategy.ts';
import { admitObject } from './admission.ts';
import { checkNamespace } from './namespaces.ts';

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

/** Adds managed fields to a new object. */
export type Owned<T extends ApiObject> = (writing: Writing<T>, object: T) => T;

/** The object that a create stores: admitted, defaulted, with its own uid. Throws 400, 403, 404 and 422. */
export const newObject = async <T extends ApiObject>(
  call: Call,
  strategy: Strategy<T>,
  given: T,
  deps: CreateDeps,
  owned: Owned<T> = ownedAfterCreate,
): Promise<T> => {
  const now = deps.clock.now();
  if (given.metadata.resourceVersion)
    throw badRequest('resourceVersion should not be set on objects to be created');
  const placed = inNamespace(given, call.info.namespace);
  const named: T = { ...placed, metadata: bornMetadata(placed.metadata, deps, now) };
  const admission = { user: call.user, operation: 'create', subresource: '', config: deps.config } as const;
  const object = owned({ call, strategy, now }, strategy.defaults(named));
  const subject = given.metadata.name || (given.metadata.generateName ?? '');
  const [prepared = strategy, row] = await Promise.all([
    strategy.prepared?.(object, deps),
    checkNamespace(call.info, subject, deps.objects, strategy.admitsByNamespace),
  ]);
  const admitted = admitObject(prepared, { ...admission, object, ...(row ? { namespace: row.object } : {}) });
  const born = strategy.forCreate(admitted, now);
  const errors = prepared.validate(born);
  if (errors.length > 0) throw invalidObject(strategy.kind, born.metadata.name, errors);
  warn(call.request, strategy.warnings?.(born) ?? []);
  return born;
};
