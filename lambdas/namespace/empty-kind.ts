/** Deletes the objects of one kind in a namespace. */
import type { Pod } from '../../shared/api/core.ts';
import type { ApiObject } from '../../shared/api/meta.ts';
import { type EpochMs, parseTime } from '../../shared/api/time.ts';
import { graceOfPods, judgeLeft, type KindLeft } from '../../shared/domain/namespaces/content.ts';
import { collected } from '../../shared/domain/owners/collect.ts';
import type { NamespacedKind } from '../../shared/domain/owners/stored-kinds.ts';
import { type LiveRow, liveRow, type ObjectKey } from '../../shared/ports/rows.ts';
import { inParallel } from '../../shared/state/in-parallel.ts';
import { createLister, type ListPosition } from '../../shared/state/lists.ts';
import { type NamespaceDeps, readGoing } from './deps.ts';

const PAGE = 500;
/** Objects that a look lists before it deletes them. What is behind them waits for the next look. */
const MOST_OBJECTS = 5_000;
const CONCURRENCY = 16;

/** What became of the objects of one kind. */
export interface Emptied {
  readonly found: KindLeft;
  readonly deleted: number;
  /** The look has to end before all objects were deleted. */
  readonly isUnfinished: boolean;
}

type Left = Pick<ApiObject, 'metadata'>;

interface Listed {
  readonly objects: readonly { readonly key: ObjectKey; readonly uid: string }[];
  readonly graceSeconds: number;
  readonly isAll: boolean;
}

/**
 * Lists exactly: what was numbered before the namespace was marked is in the list, or will never be written. Only names are kept, because
 * objects may be large.
 */
const list = async (deps: NamespaceDeps, { key, object }: LiveRow, resource: string): Promise<Listed> => {
  const lister = createLister(deps);
  const deletedAt = parseTime(object.metadata.deletionTimestamp ?? '') ?? 0;
  const found: { readonly key: ObjectKey; readonly uid: string }[] = [];
  let graceSeconds = 0;
  let position: ListPosition | undefined;
  do {
    const from = position ? { continueAt: position } : {};
    const page = await lister.list({ resource, namespace: key.name, limit: PAGE, ...from });
    for (const { metadata } of page.objects)
      found.push({
        key: { resource, namespace: key.name, name: metadata.name },
        uid: metadata.uid ?? '',
      });
    if (resource === 'pods')
      graceSeconds = Math.max(
        graceSeconds,
        graceOfPods(page.objects as readonly Pod[], deletedAt, deps.clock.now()),
      );
    position = page.next;
  } while (position && found.length < MOST_OBJECTS);
  return { objects: found, graceSeconds, isAll: position === undefined };
};

/** Deletes an object that still has this uid, as a client with the policy Background does. Resolves to the metadata of what is left. */
const deleteOne = async (
  { writer }: NamespaceDeps,
  { key, uid }: Listed['objects'][number],
): Promise<Left | undefined> => {
  let left: Left | undefined;
  const result = await writer.write(key, (found, now) => {
    const row = liveRow(found);
    const next = row?.uid === uid ? collected(key.resource, row.object, 'Background', now) : undefined;
    left = next === undefined || next.next === 'delete' ? undefined : { metadata: next.next.metadata };
    return next && { ...next, writer: 'controller' };
  });
  if (result.outcome === 'checkFailed') throw new Error(`${key.resource} "${key.name}" changes too often`);
  return left;
};

interface Tried {
  readonly left?: Left;
  readonly error?: string;
  readonly isSkipped?: true;
}

/** An object that cannot be deleted now does not keep the others. */
const tryOne = async (
  deps: NamespaceDeps,
  one: Listed['objects'][number],
  until: EpochMs,
): Promise<Tried> => {
  if (deps.clock.now() >= until) return { isSkipped: true };
  try {
    const left = await deleteOne(deps, one);
    return left ? { left } : {};
  } catch (error) {
    return { error: error instanceof Error ? error.message : String(error) };
  }
};

const judged = (
  name: string,
  kind: NamespacedKind,
  tried: readonly Tried[],
  graceSeconds: number,
): KindLeft => {
  const left = tried.flatMap((one) => one.left ?? []);
  const error = tried.find((one) => one.error !== undefined)?.error;
  const found = judgeLeft(name, kind, left, graceSeconds);
  return error === undefined ? found : { ...found, error };
};

/**
 * Deletes all objects of a kind in a namespace that is being deleted, until `until` (ms). `undefined`: the namespace is gone, and what is
 * there now may belong to a new one of the same name.
 */
export const emptyKind = async (
  deps: NamespaceDeps,
  namespace: LiveRow,
  kind: NamespacedKind,
  until: EpochMs,
): Promise<Emptied | undefined> => {
  const { name } = namespace.key;
  const { objects, graceSeconds, isAll } = await list(deps, namespace, kind.resource);
  // Only now is it certain that all of them are of this namespace, and not of a later one.
  if (!(await readGoing(deps, { name, uid: namespace.uid }))) return undefined;
  const tried = await inParallel(objects, CONCURRENCY, (one) => tryOne(deps, one, until));
  const isUnfinished = !isAll || tried.some(({ isSkipped }) => isSkipped);
  const failed = tried.filter(({ error, isSkipped }) => error !== undefined || isSkipped).length;
  return { found: judged(name, kind, tried, graceSeconds), deleted: tried.length - failed, isUnfinished };
};
