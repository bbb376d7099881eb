/** Looks at a namespace that is being deleted: deletes what is in it, and lets it go when nothing is left. */
import { NAMESPACES } from '../../shared/kube/types/well-known.ts';
import type { EpochMs } from '../../shared/kube/values/time.ts';
import { type LiveRow, liveRow } from '../../shared/ports/store/rows.ts';
import { freed } from '../../shared/rules/owners/collect.ts';
import { withDeletionConditions } from '../../shared/rules/owners/deletion-conditions.ts';
import {
  type KindLeft,
  nextLookSeconds,
  SETTLE_SECONDS,
} from '../../shared/rules/owners/namespace-content.ts';
import { isHeldForContent, withoutHold } from '../../shared/rules/owners/namespace-holds.ts';
import { NAMESPACED_KINDS, type NamespacedKind } from '../../shared/rules/owners/stored-kinds.ts';
import { inParallel } from '../../shared/store/turns/in-parallel.ts';
import { bearNamespace } from '../../shared/store/writer/namespace-birth.ts';
import { type NamespaceDeps, readGoing } from './deps.ts';
import { emptyKind } from './empty-kind.ts';

/** Kinds that are emptied at the same time. */
const KINDS_AT_ONCE = 4;

const CONCURRENCY = 16;

const isPods = ({ resource }: NamespacedKind): boolean => resource === 'pods';
const PODS = NAMESPACED_KINDS.filter(isPods);
const OTHERS = NAMESPACED_KINDS.filter((kind) => !isPods(kind));

/** What a look found. */
interface Content {
  readonly kinds: readonly KindLeft[];
  readonly deleted: number;
  readonly isUnfinished: boolean;
}

/** What a look did, and when to look again. */
export interface Look {
  readonly deleted: number;
  readonly errors: readonly string[];
  readonly isFinished: boolean;
  /** Absent: there is nothing to look at any more. */
  readonly againSeconds?: number;
  /** The look had to end before it had deleted everything. */
  readonly isUnfinished?: true;
}

const NOTHING: Look = { deleted: 0, errors: [], isFinished: false };

/** Empties some kinds; `undefined`: the namespace is gone. */
const emptyKinds = async (
  deps: NamespaceDeps,
  namespace: LiveRow,
  kinds: readonly NamespacedKind[],
  until: EpochMs,
): Promise<Content | undefined> => {
  const all = await inParallel(kinds, KINDS_AT_ONCE, (kind) => emptyKind(deps, namespace, kind, until));
  const emptied = all.filter((one) => one !== undefined);
  if (emptied.length < all.length) return undefined;
  return {
    kinds: emptied.map(({ found }) => found),
    deleted: emptied.reduce((sum, { deleted }) => sum + deleted, 0),
    isUnfinished: emptied.some(({ isUnfinished }) => isUnfinished),
  };
};

/** Stores what the look found. Resolves to whether that changed anything. */
const tell = async (
  { writer }: NamespaceDeps,
  { key, uid }: LiveRow,
  kinds: readonly KindLeft[],
): Promise<boolean> => {
  const result = await writer.write(key, (found, now) => {
    const row = liveRow(found);
    if (row?.uid !== uid) return undefined;
    return { next: withDeletionConditions(row.object, kinds, now), writer: 'controller' };
  });
  return result.outcome === 'written';
};

/** Takes the finalizer off, and removes the namespace if nothing else holds it. A built-in one is made again, empty. */
const letGo = async (deps: NamespaceDeps, { key, uid }: LiveRow): Promise<boolean> => {
  const result = await deps.writer.write(key, (found) => {
    const row = liveRow(found);
    if (row?.uid !== uid || row.object.metadata.deletionTimestamp === undefined) return undefined;
    return { ...freed(key.resource, withoutHold(row.object)), writer: 'controller' };
  });
  if ((NAMESPACES as readonly string[]).includes(key.name)) await bearNamespace(key.name, deps);
  return result.outcome === 'written';
};

/** Pods go first, and nothing else while one of them is left. `undefined`: the namespace is gone. */
const emptyInOrder = async (
  deps: NamespaceDeps,
  namespace: LiveRow,
  until: EpochMs,
): Promise<Content | undefined> => {
  const pods = await emptyKinds(deps, namespace, PODS, until);
  if (!pods) return undefined;
  if (pods.isUnfinished || pods.kinds.some(({ left }) => left > 0)) return pods;
  const others = await emptyKinds(deps, namespace, OTHERS, until);
  return (
    others && {
      kinds: [...pods.kinds, ...others.kinds],
      deleted: pods.deleted + others.deleted,
      isUnfinished: others.isUnfinished,
    }
  );
};

/** One that deleted nothing must not begin again at once: what it saw is held. */
const unfinished = (deleted: number, errors: readonly string[]): Look => {
  const look = { deleted, errors, isFinished: false };
  return deleted === 0
    ? { ...look, againSeconds: SETTLE_SECONDS }
    : { ...look, againSeconds: 0, isUnfinished: true };
};

/**
 * Deletes the Leases of a namespace, which are not in the log of objects. A create of one has either been committed before the
 * namespace was marked, so that it is read here, or is refused, because the namespace has changed. Resolves to their number;
 * `undefined`: the namespace is gone.
 */
const emptyLeases = async (deps: NamespaceDeps, { key, uid }: LiveRow): Promise<number | undefined> => {
  const leases = await deps.heartbeats.leasesIn(key.name);
  if (!(await readGoing(deps, { name: key.name, uid }))) return undefined;
  await inParallel(leases, CONCURRENCY, ({ namespace, name }) =>
    deps.heartbeats.deleteLease({ namespace, name }, deps.clock.now()),
  );
  return leases.length;
};

/** Lets an empty namespace go, after its Leases. */
const finish = async (deps: NamespaceDeps, namespace: LiveRow, deleted: number): Promise<Look> => {
  const leases = await emptyLeases(deps, namespace);
  if (leases === undefined) return NOTHING;
  return { deleted: deleted + leases, errors: [], isFinished: await letGo(deps, namespace) };
};

/**
 * Looks once. It begins no deletion at or after `until` (ms). `failures`: looks in a row before this one that failed. Throws if the
 * namespace, or a list, could not be read.
 */
export const lookAt = async (
  deps: NamespaceDeps,
  { name, uid }: { readonly name: string; readonly uid: string },
  { until, failures }: { readonly until: EpochMs; readonly failures: number },
): Promise<Look> => {
  const namespace = await readGoing(deps, { name, uid });
  if (!namespace || !isHeldForContent(namespace.object)) return NOTHING;
  const content = await emptyInOrder(deps, namespace, until);
  if (!content) return NOTHING;
  const { kinds, deleted, isUnfinished } = content;
  const errors = kinds.flatMap(({ error }) => error ?? []);
  if (isUnfinished) return unfinished(deleted, errors);
  const hasChanged = await tell(deps, namespace, kinds);
  const againSeconds = nextLookSeconds(kinds, { hasChanged, failures });
  if (againSeconds !== undefined) return { deleted, errors, isFinished: false, againSeconds };
  return finish(deps, namespace, deleted);
};
