import type { ApiObject } from '../../api/meta.ts';
import { conflict, notFound } from '../../api/status-error.ts';
import type { EpochMs } from '../../api/time.ts';
import { isReadyToGo, withDeletion } from '../../domain/deletion.ts';
import type { Row } from '../../ports/object-log.ts';
import type { Change } from '../../state/object-writer.ts';
import { admitObject } from '../admission.ts';
import type { Call, Handle } from '../call.ts';
import { subjectOf } from '../call.ts';
import type { ApiServerDeps } from '../deps.ts';
import type { Answer } from '../http.ts';
import { ok } from '../http.ts';
import type { DeleteOptions } from '../options.ts';
import { readDeleteOptions } from '../options.ts';
import type { Strategy } from '../strategy.ts';
import { keyOf } from './create.ts';

interface Deletion<T> {
  readonly object: T;
  readonly change?: Change;
  readonly isGone: boolean;
}

/** Throws 409 when the object is not the one that the client meant. */
export const checkPreconditions = (
  { uid, resourceVersion }: DeleteOptions['preconditions'],
  object: ApiObject,
  kind: string,
): void => {
  const { name, uid: ownUid, resourceVersion: ownVersion } = object.metadata;
  if (uid !== undefined && uid !== ownUid)
    throw conflict(
      { resource: kind, name },
      `the UID in the precondition (${uid}) does not match the UID in record (${ownUid}). The object might have been deleted and then recreated`,
    );
  if (resourceVersion !== undefined && resourceVersion !== ownVersion)
    throw conflict(
      { resource: kind, name },
      `the ResourceVersion in the precondition (${resourceVersion}) does not match the ResourceVersion in record (${ownVersion}). The object might have been modified`,
    );
};

/** Marks the object, or lets it go when neither a grace period nor a finalizer holds it. */
const decideDeletion = <T extends ApiObject>(
  strategy: Strategy<T>,
  object: T,
  requested: number | undefined,
  now: EpochMs,
): Deletion<T> => {
  const grace = strategy.graceSeconds?.(object, requested) ?? 0;
  const next = withDeletion(object, grace, now);
  const isGone = isReadyToGo(next);
  if (isGone) return { object: next, isGone, change: { next: 'delete', writer: 'client' } };
  return next === object ? { object, isGone } : { object: next, isGone, change: { next, writer: 'client' } };
};

const decide = <T extends ApiObject>(
  {
    call,
    strategy,
    deps,
  }: { readonly call: Call; readonly strategy: Strategy<T>; readonly deps: ApiServerDeps },
  options: DeleteOptions,
  row: Row | undefined,
  now: EpochMs,
): Deletion<T> => {
  if (row?.state !== 'live') throw notFound(subjectOf(call));
  const object = row.object as T;
  admitObject(strategy, {
    user: call.user,
    operation: 'delete',
    subresource: '',
    object,
    before: object,
    config: deps.config,
  });
  checkPreconditions(options.preconditions, object, strategy.kind.kind);
  return decideDeletion(strategy, object, options.gracePeriodSeconds, now);
};

/** The Status that answers a deletion which is already done. */
export const deletedStatus = ({ info }: Call, uid: string | undefined): object => ({
  kind: 'Status',
  apiVersion: 'v1',
  metadata: {},
  status: 'Success',
  details: {
    name: info.name,
    ...(info.group === '' ? {} : { group: info.group }),
    kind: info.resource,
    ...(uid === undefined ? {} : { uid }),
  },
});

const answerOf = <T extends ApiObject>(
  call: Call,
  strategy: Strategy<T>,
  { object, isGone }: Deletion<T>,
): Answer =>
  ok(isGone && !strategy.deletionReturnsObject ? deletedStatus(call, object.metadata.uid) : object);

/** DELETE of one object; pods that are bound get their grace period. Throws 404 and 409. */
export const deleteVerb =
  <T extends ApiObject>(strategy: Strategy<T>): Handle<ApiServerDeps> =>
  async (call, deps) => {
    const options = readDeleteOptions(call.request);
    const key = keyOf(call);
    const context = { call, strategy, deps };
    if (options.dryRun)
      return answerOf(call, strategy, decide(context, options, await deps.log.read(key), deps.clock.now()));
    let deletion: Deletion<T> | undefined;
    const result = await deps.writer.write(key, (row, now) => {
      deletion = decide(context, options, row, now);
      return deletion.change;
    });
    if (!deletion || result.outcome === 'checkFailed') throw conflict(subjectOf(call));
    const stored = result.outcome === 'written' ? result.object.metadata.resourceVersion : undefined;
    const { object } = deletion;
    const metadata = { ...object.metadata, ...(stored === undefined ? {} : { resourceVersion: stored }) };
    return answerOf(call, strategy, { ...deletion, object: { ...object, metadata } });
  };
