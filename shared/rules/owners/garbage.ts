/** What the garbage collector does with an object, by the states of its owners. Source: kubernetes v1.34 pkg/controller/garbagecollector. */
import type { ApiObject, OwnerReference } from '../../kube/types/meta.ts';

/** The finalizer that stands for the propagation policy `Foreground`; `ORPHAN` is the one for `Orphan`. */
export const FOREGROUND_DELETION = 'foregroundDeletion';
/** See `FOREGROUND_DELETION`. */
export const ORPHAN = 'orphan';

/**
 * State of an owner. `solid`: it keeps its dependents. `dangling`: it does not exist. `waiting`: it is being deleted in the foreground
 * and waits for its dependents.
 */
export type OwnerState = 'solid' | 'dangling' | 'waiting';

/** What a deletion does with the dependents. */
export type PropagationPolicy = 'Foreground' | 'Background' | 'Orphan';

/** What happens to a dependent. */
export type GarbageDecision =
  | { readonly action: 'keep' }
  /** The references to these uids are removed. */
  | { readonly action: 'cut'; readonly owners: readonly string[] }
  | { readonly action: 'delete'; readonly policy: PropagationPolicy };

const isHeldBy = ({ metadata }: ApiObject, finalizer: string): boolean =>
  metadata.deletionTimestamp !== undefined && metadata.finalizers?.includes(finalizer) === true;

/** Whether the object is being deleted in the foreground: it waits until its blocking dependents are gone. */
export const isDeletingDependents = (object: ApiObject): boolean => isHeldBy(object, FOREGROUND_DELETION);

/** Whether the object is being deleted and waits until its dependents do not name it any more. */
export const isOrphaningDependents = (object: ApiObject): boolean => isHeldBy(object, ORPHAN);

/** State of the owner with this uid; `found` is the object that is stored in its place. */
export const ownerState = (found: ApiObject | undefined, uid: string): OwnerState => {
  if (!found || found.metadata.uid !== uid) return 'dangling';
  return isDeletingDependents(found) ? 'waiting' : 'solid';
};

const ownPolicy = ({ metadata: { finalizers = [] } }: ApiObject): PropagationPolicy => {
  if (finalizers.includes(ORPHAN)) return 'Orphan';
  return finalizers.includes(FOREGROUND_DELETION) ? 'Foreground' : 'Background';
};

/**
 * Decides about an object by the states of its owners, by uid. One that is being deleted, or has no owners, is kept; so is one with a solid
 * owner, and its other references are cut. `hasDependents`: whether the object has dependents itself.
 */
export const decideGarbage = (
  object: ApiObject,
  owners: ReadonlyMap<string, OwnerState>,
  hasDependents: boolean,
): GarbageDecision => {
  if (object.metadata.deletionTimestamp !== undefined || owners.size === 0) return { action: 'keep' };
  const states = [...owners.values()];
  if (states.includes('solid')) {
    const others = [...owners].flatMap(([uid, state]) => (state === 'solid' ? [] : [uid]));
    return others.length === 0 ? { action: 'keep' } : { action: 'cut', owners: others };
  }
  const isBelowForeground = states.includes('waiting') && hasDependents;
  return { action: 'delete', policy: isBelowForeground ? 'Foreground' : ownPolicy(object) };
};

/** Whether the object names the owner and keeps its deletion in the foreground from ending. */
export const blocksDeletionOf = ({ metadata }: ApiObject, owner: string): boolean =>
  metadata.ownerReferences?.some(
    ({ uid, blockOwnerDeletion }) => uid === owner && blockOwnerDeletion === true,
  ) === true;

/** The object without its references to these owners; the same object if it has none. */
export const withoutOwners = <T extends ApiObject>(object: T, owners: readonly string[]): T => {
  const { ownerReferences = [], ...metadata } = object.metadata;
  const kept = ownerReferences.filter(({ uid }) => !owners.includes(uid));
  if (kept.length === ownerReferences.length) return object;
  return { ...object, metadata: kept.length === 0 ? metadata : { ...metadata, ownerReferences: kept } };
};

/** The object without a finalizer; the same object if it does not have it. */
export const withoutFinalizer = <T extends ApiObject>(object: T, finalizer: string): T => {
  const { finalizers = [], ...metadata } = object.metadata;
  const kept = finalizers.filter((one) => one !== finalizer);
  if (kept.length === finalizers.length) return object;
  return { ...object, metadata: kept.length === 0 ? metadata : { ...metadata, finalizers: kept } };
};

/** The owners whose deletion `before` blocked and `after` does not (`undefined`: the object is gone). One of them may be free now. */
export const unblockedOwners = (
  before: ApiObject | undefined,
  after: ApiObject | undefined,
): readonly OwnerReference[] =>
  (before?.metadata.ownerReferences ?? []).filter(
    ({ uid, blockOwnerDeletion }) => blockOwnerDeletion === true && !(after && blocksDeletionOf(after, uid)),
  );
