/** What PUT and PATCH share: the write of a changed object over the stored one. */

import { admitObject } from '../../kinds/admission/admission.ts';
import { checkName, inNamespace } from '../../kinds/contract/names.ts';
import type { Strategy } from '../../kinds/contract/strategy.ts';
import { writerOf } from '../../kinds/contract/user.ts';
import { invalidObject } from '../../kube/errors/field-error.ts';
import { badRequest, conflict, notFound } from '../../kube/errors/status-error.ts';
import { deepEqual } from '../../kube/json/deep-equal.ts';
import { quote } from '../../kube/text/go-quote.ts';
import type { ApiObject, ObjectMeta } from '../../kube/types/meta.ts';
import type { EpochMs } from '../../kube/values/time.ts';
import type { StatusBeat } from '../../ports/store/commit.ts';
import type { Row } from '../../ports/store/rows.ts';
import { isOnlyHeartbeat, statusBeat } from '../../rules/nodes/status-beat.ts';
import { isReadyToGo } from '../../rules/pods/deletion.ts';
import type { ObjectWrite } from '../../store/writer/object-writer.ts';
import { ownedAfterUpdate, withStoredTimes } from '../body/ownership.ts';
import type { Call } from '../contract/call.ts';
import { subjectOf } from '../contract/call.ts';
import type { ApiServerDeps } from '../contract/deps.ts';
import type { Answer } from '../contract/http.ts';
import { ok } from '../contract/http.ts';
import { warn } from '../contract/warnings.ts';
import { versionMissing } from '../request/version-missing.ts';
import { expiryOf, keyOf } from './create.ts';
import type { Overlay } from './heartbeat-times.ts';
import { readOverlay } from './heartbeat-times.ts';
import { storeStatusBeat } from './status-beats.ts';

/** The change of an object by one request. */
export interface Update<T extends ApiObject> {
  readonly call: Call;
  readonly strategy: Strategy<T>;
  readonly deps: ApiServerDeps;
  /** The object as the request would change `before`; called again after a conflict. */
  readonly propose: (before: T, now: EpochMs) => T;
  /** `propose` has set the managed fields; otherwise the sender owns what the write changes. */
  readonly isApply?: boolean;
  readonly dryRun: boolean;
}

/** What to do about an object, and what to answer. */
interface Decided<T> {
  readonly answer: T;
  readonly change?: ObjectWrite;
  /** The write is only a heartbeat of the Node `uid`. */
  readonly onlyBeat?: { readonly uid: string; readonly beat: StatusBeat };
}

// Clients may leave out fields that only the server sets; values that they send for them are ignored, or checked
// as immutable.
const mergedMetadata = (after: ObjectMeta, before: ObjectMeta): ObjectMeta => {
  const { selfLink: _link, ...given } = after as ObjectMeta & Record<string, unknown>;
  const { uid, creationTimestamp, generation, deletionTimestamp, deletionGracePeriodSeconds } = before;
  const kept = {
    creationTimestamp,
    generation,
    deletionGracePeriodSeconds,
    resourceVersion: before.resourceVersion,
  };
  const merged = {
    ...given,
    ...kept,
    uid: given.uid ?? uid,
    deletionTimestamp: given.deletionTimestamp ?? deletionTimestamp,
  };
  return Object.fromEntries(
    Object.entries(merged).filter(([, value]) => value !== undefined),
  ) as unknown as ObjectMeta;
};

/**
 * Throws 409 when the client's resourceVersion is not the stored one. No version and "0" match any, except for a
 * PUT of a kind that requires a version: 422.
 */
const checkVersion = <T extends ApiObject>({ call, strategy }: Update<T>, after: T, before: ApiObject) => {
  const [given, stored] = [after.metadata.resourceVersion, before.metadata.resourceVersion];
  if (!given || given === '0') {
    if (strategy.needsVersionOnUpdate && call.info.verb === 'update') throw versionMissing(call.info);
    return;
  }
  if (!/^\d+$/.test(given)) throw badRequest(`strconv.ParseUint: parsing ${quote(given)}: invalid syntax`);
  if (given !== stored) throw conflict(subjectOf(call));
};

const reshaped = <T extends ApiObject>(
  { call, strategy }: Update<T>,
  whole: T,
  before: T,
  now: EpochMs,
): T =>
  call.info.subresource === 'status' && strategy.forStatusUpdate
    ? strategy.forStatusUpdate(whole, before, now)
    : strategy.forUpdate(whole, before);

const faultsOf = <T extends ApiObject>({ call, strategy }: Update<T>, after: T, before: T) =>
  call.info.subresource === 'status' && strategy.validateStatusUpdate
    ? strategy.validateStatusUpdate(after, before)
    : strategy.validateUpdate(after, before);

const prepared = <T extends ApiObject>(update: Update<T>, after: T, before: T, now: EpochMs): T => {
  const { strategy } = update;
  const metadata = mergedMetadata(after.metadata, before.metadata);
  const object = reshaped(update, { ...after, metadata }, before, now);
  const errors = faultsOf(update, object, before);
  if (errors.length > 0) throw invalidObject(strategy.kind, before.metadata.name, errors);
  if (update.call.info.subresource === '') warn(update.call.request, strategy.updateWarnings?.(object) ?? []);
  return object;
};

const admitted = <T extends ApiObject>(update: Update<T>, before: T, now: EpochMs): T => {
  const { call, strategy, deps, propose, isApply } = update;
  const proposed = inNamespace(propose(before, now), call.info.namespace);
  checkName(proposed, call.info.name);
  const object = strategy.defaults(proposed);
  return admitObject(strategy, {
    user: call.user,
    operation: 'update',
    subresource: call.info.subresource,
    object: isApply ? object : ownedAfterUpdate({ call, strategy, now }, before, object),
    before,
    config: deps.config,
  });
};

// The last finalizer is gone and no grace period runs, so the object is removed.
const isDone = <T extends ApiObject>({ strategy }: Update<T>, object: T): boolean =>
  object.metadata.deletionTimestamp !== undefined &&
  isReadyToGo(object) &&
  strategy.isHeld?.(object) !== true;

const beatOf = <T extends ApiObject>(
  { call }: Update<T>,
  before: T,
  after: T,
  now: EpochMs,
): StatusBeat | undefined =>
  call.info.resource === 'nodes' && call.info.subresource === 'status'
    ? statusBeat(before, after, now)
    : undefined;

const changed = <T extends ApiObject>(update: Update<T>, before: T, after: T, now: EpochMs): Decided<T> => {
  const { deps, strategy } = update;
  const { name, uid = '' } = before.metadata;
  const beat = beatOf(update, before, after, now);
  if (beat && isOnlyHeartbeat(before, after)) return { answer: after, onlyBeat: { uid, beat } };
  const heartbeat = beat && {
    heartbeat: {
      effect: 'beat',
      node: name,
      uid,
      beat,
      expiresAt: now + deps.config.heartbeatRetentionMs,
    } as const,
  };
  return {
    answer: after,
    change: {
      next: after,
      writer: writerOf(update.call.user),
      ...(strategy.rows ? { rows: strategy.rows() } : {}),
      ...heartbeat,
      ...expiryOf(strategy, deps, now),
    },
  };
};

const decideUpdate = <T extends ApiObject>(
  update: Update<T>,
  overlay: Overlay,
  row: Row | undefined,
  now: EpochMs,
): Decided<T> => {
  if (row?.state !== 'live') throw notFound(subjectOf(update.call));
  const before = overlay(row.object as T);
  const proposed = admitted(update, before, now);
  checkVersion(update, proposed, row.object);
  const after = withStoredTimes(prepared(update, proposed, before, now), before);
  if (isDone(update, after)) return { answer: after, change: { next: 'delete', writer: 'client' } };
  return deepEqual(after, before) ? { answer: before } : changed(update, before, after, now);
};

const withPrepared = async <T extends ApiObject>(update: Update<T>): Promise<Update<T>> => {
  const { call, deps, strategy } = update;
  if (call.info.subresource !== '' || !strategy.preparedForUpdate) return update;
  return { ...update, strategy: await strategy.preparedForUpdate(call.info.namespace, deps) };
};

/** Changes the object of a call. Throws 404, 403, 409 and 422. */
export const updateObject = async <T extends ApiObject>(given: Update<T>): Promise<Answer> => {
  const update = await withPrepared(given);
  const { call, deps } = update;
  const key = keyOf(call);
  const overlay = await readOverlay(key.resource, key.name, deps);
  if (update.dryRun)
    return ok(decideUpdate(update, overlay, await deps.objects.read(key), deps.clock.now()).answer);
  let decided: Decided<T> | undefined;
  const result = await deps.writer.write(key, (row, now) => {
    decided = decideUpdate(update, overlay, row, now);
    return decided.change;
  });
  if (result.outcome === 'checkFailed' || !decided) throw conflict(subjectOf(call));
  if (decided.onlyBeat) await storeStatusBeat(key.name, decided.onlyBeat, deps);
  return ok(
    result.outcome === 'written' && decided.change?.next !== 'delete' ? result.object : decided.answer,
  );
};
