/** Deletes the objects of one kind in a namespace. */
import { conflict } from '../../shared/kube/errors/status-error.ts';
import type { Pod } from '../../shared/kube/types/core.ts';
import type { ApiObject } from '../../shared/kube/types/meta.ts';
import { type EpochMs, parseTime } from '../../shared/kube/values/time.ts';
import { type LiveRow, liveRow, type ObjectKey } from '../../shared/ports/store/rows.ts';
import { collected } from '../../shared/rules/owners/collect.ts';
import { graceOfPods, judgeLeft, type KindLeft } from '../../shared/rules/owners/namespace-content.ts';
import type { NamespacedKind } from '../../shared/rules/owners/stored-kinds.ts';
import { createLister, type ListPosition, type ListResult } from '../../shared/store/lists/lists.ts';
import { inParallel } from '../../shared/store/turns/in-parallel.ts';
import { type NamespaceDeps, readGoing } from './deps.ts';

/** Objects of a page. If there are more, all rows are deleted before the exact list, whose every page reads the log. */
const PAGE = 1_000;
const CONCURRENCY = 16;

/** What became of the objects of one kind. */
export interface Emptied {
  readonly found: KindLeft;
  readonly deleted: number;
  /** The look had to end before all objects were deleted. */
  readonly isUnfinished: boolean;
}

interface Named {
  readonly key: ObjectKey;
  readonly uid: string;
}

/** What was done so far. */
interface Tally {
  readonly left: Pick<ApiObject, 'metadata'>[];
  graceSeconds: number;
  deleted: number;
  error: string | undefined;
  isUnfinished: boolean;
}

/** The work of a look on one kind. */
interface Emptying {
  readonly deps: NamespaceDeps;
  readonly namespace: LiveRow;
  readonly resource: string;
  readonly until: EpochMs;
}

const isThere = async ({ deps, namespace }: Emptying): Promise<boolean> =>
  (await readGoing(deps, { name: namespace.key.name, uid: namespace.uid })) !== undefined;

/** Deletes an object that still has this uid, as a client with the policy Background does, and notes what is left of it. */
const deleteOne = async (
  { deps: { writer } }: Emptying,
  { key, uid }: Named,
  seen: LiveRow | undefined,
  tally: Tally,
): Promise<void> => {
  let left: ApiObject | undefined;
  const result = await writer.write(
    key,
    (found, now) => {
      const row = liveRow(found);
      const next = row?.uid === uid ? collected(key.resource, row.object, 'Background', now) : undefined;
      left = next === undefined || next.next === 'delete' ? undefined : next.next;
      return next && { ...next, writer: 'controller' };
    },
    seen,
  );
  if (result.outcome === 'checkFailed') throw conflict(key);
  if (result.outcome === 'written') tally.deleted += 1;
  if (left) tally.left.push({ metadata: left.metadata });
};

/** Deletes some objects. One that cannot be deleted now does not keep the others. */
const deleteAll = async (
  emptying: Emptying,
  objects: readonly (Named | LiveRow)[],
  tally: Tally,
): Promise<void> => {
  await inParallel(objects, CONCURRENCY, async (one) => {
    if (emptying.deps.clock.now() >= emptying.until) {
      tally.isUnfinished = true;
      return;
    }
    try {
      await deleteOne(emptying, one, 'state' in one ? one : undefined, tally);
    } catch (error) {
      tally.error = error instanceof Error ? error.message : String(error);
    }
  });
};

const newTally = (): Tally => ({
  left: [],
  graceSeconds: 0,
  deleted: 0,
  error: undefined,
  isUnfinished: false,
});

/** Deletes all rows, page by page. They may miss a few objects, which the exact list has. `undefined`: the namespace is gone. */
const deleteRows = async (emptying: Emptying): Promise<Tally | undefined> => {
  const { deps, namespace, resource } = emptying;
  const tally = newTally();
  let after: string | undefined;
  do {
    const from = after === undefined ? {} : { after };
    const page = await deps.objects.page({ resource, namespace: namespace.key.name, limit: PAGE, ...from });
    if (!(await isThere(emptying))) return undefined;
    await deleteAll(emptying, page.rows, tally);
    after = page.next;
  } while (after !== undefined && !tally.isUnfinished);
  return tally;
};

const nameOf =
  ({ namespace, resource }: Emptying) =>
  ({ metadata: { name, uid = '' } }: ApiObject): Named => ({
    key: { resource, namespace: namespace.key.name, name },
    uid,
  });

const noteGrace = ({ deps, namespace, resource }: Emptying, { objects }: ListResult, tally: Tally): void => {
  if (resource !== 'pods') return;
  const deletedAt = parseTime(namespace.object.metadata.deletionTimestamp ?? '') ?? 0;
  const grace = graceOfPods(objects as readonly Pod[], deletedAt, deps.clock.now());
  tally.graceSeconds = Math.max(tally.graceSeconds, grace);
};

/**
 * Deletes what is in an exact list: all that was numbered before the namespace was marked; anything else will never be written.
 * `undefined`: the namespace is gone, and what is there now may belong to a new one of the same name.
 */
const deleteListed = async (emptying: Emptying): Promise<Tally | undefined> => {
  const { deps, namespace, resource } = emptying;
  const lister = createLister(deps);
  const list = (position?: ListPosition): Promise<ListResult> => {
    const request = { resource, namespace: namespace.key.name, limit: PAGE };
    return lister.list(position ? { ...request, continueAt: position } : request);
  };
  const tally = newTally();
  let page = await list();
  if (page.next) {
    const rows = await deleteRows(emptying);
    if (!rows || rows.isUnfinished) return rows;
    tally.deleted = rows.deleted;
    page = await list();
  }
  for (;;) {
    if (!(await isThere(emptying))) return undefined;
    noteGrace(emptying, page, tally);
    await deleteAll(emptying, page.objects.map(nameOf(emptying)), tally);
    if (!page.next || tally.isUnfinished) return tally;
    page = await list(page.next);
  }
};

/** Deletes all objects of a kind in a namespace that is being deleted, until `until` (ms). `undefined`: the namespace is gone. */
export const emptyKind = async (
  deps: NamespaceDeps,
  namespace: LiveRow,
  kind: NamespacedKind,
  until: EpochMs,
): Promise<Emptied | undefined> => {
  const tally = await deleteListed({ deps, namespace, resource: kind.resource, until });
  if (!tally) return undefined;
  const { left, graceSeconds, deleted, error, isUnfinished } = tally;
  const found = judgeLeft(namespace.key.name, kind, left, graceSeconds);
  return { found: error === undefined ? found : { ...found, error }, deleted, isUnfinished };
};
