import { admitObject } from '../../kinds/admission/admission.ts';
import type { Strategy } from '../../kinds/contract/strategy.ts';
import { conflict, notFound } from '../../kube/errors/status-error.ts';
import type { ApiObject } from '../../kube/types/meta.ts';
import { optional } from '../../kube/values/optional.ts';
import type { EpochMs } from '../../kube/values/time.ts';
import type { Row } from '../../ports/store/rows.ts';
import { isReadyToGo, withDeletion } from '../../rules/pods/deletion.ts';
import { withPropagation } from '../../rules/propagation.ts';
import type { ObjectWrite } from '../../store/writer/object-writer.ts';
import type { Call, Handle } from '../contract/call.ts';
import { subjectOf } from '../contract/call.ts';
import type { ApiServerDeps } from '../contract/deps.ts';
import type { Answer } from '../contract/http.ts';
import { ok } from '../contract/http.ts';
import { warn } from '../contract/warnings.ts';
import type { DeleteOptions } from '../request/options.ts';
import { readDeleteOptions } from '../request/options.ts';
import { keyOf } from './create.ts';

interface Context<T extends ApiObject> {
  readonly call: Call;
  readonly strategy: Strategy<T>;
  readonly deps: ApiServerDeps;
}

interface Deletion<T> {
  readonly object: T;
  readonly change?: ObjectWrite;
  readonly isGone: boolean;
}

/** Throws 409 when the object's uid or resourceVersion is not the one in the preconditions. */
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

// A deletion whose grace period has begun keeps its propagation policy.
const propagated = <T extends ApiObject>({ strategy }: Context<T>, object: T, options: DeleteOptions): T => {
  const isPending = strategy.graceSeconds !== undefined && object.metadata.deletionTimestamp !== undefined;
  if (strategy.isOwner === false || isPending) return object;
  return withPropagation(object, options, strategy.orphansDependents);
};

/** Decides a deletion: marks the object, or removes it when neither a grace period nor a finalizer keeps it. */
export const decideDeletion = <T extends ApiObject>(
  context: Context<T>,
  object: T,
  options: DeleteOptions,
  now: EpochMs,
): Deletion<T> => {
  const { strategy } = context;
  const grace = strategy.graceSeconds?.(object, options.gracePeriodSeconds) ?? 0;
  const wanted = propagated(context, object, options);
  const next = strategy.markDeleted?.(wanted, now) ?? withDeletion(wanted, grace, now);
  const isGone = isReadyToGo(next) && strategy.isHeld?.(next, object) !== true;
  if (isGone) {
    // For a kind without a grace period, the last state has the finalizers of the policy, but not the deletion mark.
    const last = strategy.graceSeconds === undefined ? wanted : next;
    const lastState = last === object ? {} : { lastState: last };
    return { object: next, isGone, change: { next: 'delete', ...lastState, writer: 'client' } };
  }
  return next === object ? { object, isGone } : { object: next, isGone, change: { next, writer: 'client' } };
};

const decide = <T extends ApiObject>(
  context: Context<T>,
  options: DeleteOptions,
  row: Row | undefined,
  now: EpochMs,
): Deletion<T> => {
  const { call, strategy, deps } = context;
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
  return decideDeletion(context, object, options, now);
};

/** The Status that answers a completed deletion. */
export const deletedStatus = ({ info }: Call, uid: string | undefined): object => ({
  kind: 'Status',
  apiVersion: 'v1',
  metadata: {},
  status: 'Success',
  details: {
    name: info.name,
    ...(info.group === '' ? {} : { group: info.group }),
    kind: info.resource,
    ...optional('uid', uid),
  },
});

const answerOf = <T extends ApiObject>(
  { call, strategy }: Context<T>,
  { orphanDependents }: DeleteOptions,
  { object, isGone }: Deletion<T>,
): Answer => {
  if (isGone && !strategy.deletionReturnsObject) return ok(deletedStatus(call, object.metadata.uid));
  // 202 tells a client that wants the dependents deleted, too, that this has only begun.
  return { status: !isGone && orphanDependents === false ? 202 : 200, body: object };
};

const warnOfOrphans = <T extends ApiObject>(
  { call, strategy }: Context<T>,
  { orphanDependents, propagationPolicy }: DeleteOptions,
): void => {
  const isChosen = orphanDependents !== undefined || propagationPolicy !== undefined;
  if (strategy.orphanWarning && !isChosen) warn(call.request, [strategy.orphanWarning]);
};

/** Deletes the object of a call; a pod that is bound to a node gets its grace period. Throws 404 and 409. */
export const deleteObject = async <T extends ApiObject>(
  context: Context<T>,
  options: DeleteOptions,
): Promise<Answer> => {
  const { call, deps } = context;
  const key = keyOf(call);
  warnOfOrphans(context, options);
  if (options.dryRun)
    return answerOf(
      context,
      options,
      decide(context, options, await deps.objects.read(key), deps.clock.now()),
    );
  let deletion: Deletion<T> | undefined;
  const result = await deps.writer.write(key, (row, now) => {
    deletion = decide(context, options, row, now);
    return deletion.change;
  });
  if (!deletion || result.outcome === 'checkFailed') throw conflict(subjectOf(call));
  const stored = result.outcome === 'written' ? result.object.metadata.resourceVersion : undefined;
  const { object } = deletion;
  const metadata = { ...object.metadata, ...optional('resourceVersion', stored) };
  return answerOf(context, options, { ...deletion, object: { ...object, metadata } });
};

/** DELETE of one object. */
export const deleteVerb =
  <T extends ApiObject>(strategy: Strategy<T>): Handle<ApiServerDeps> =>
  async (call, deps) =>
    deleteObject({ call, strategy, deps }, readDeleteOptions(call.request));
