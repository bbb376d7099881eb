/** Looks at all objects: finds what a lost message left, and gives objects that are older than owner edges theirs. */
import type { Pod } from '../../shared/kube/types/core.ts';
import { optional } from '../../shared/kube/values/optional.ts';
import type { EpochMs } from '../../shared/kube/values/time.ts';
import { type LiveRow, liveRow } from '../../shared/ports/store/rows.ts';
import { isDeletingDependents, isOrphaningDependents } from '../../shared/rules/owners/garbage.ts';
import { STORED_RESOURCES } from '../../shared/rules/owners/stored-kinds.ts';
import { isTerminated } from '../../shared/rules/pods/terminated-pods.ts';
import { inParallel } from '../../shared/store/turns/in-parallel.ts';
import { RUN_MS } from './collect/look-at.ts';
import { judgeOwners, type ReadRow, rememberRows } from './collect/owners.ts';
import { type CollectorDeps, type CollectorReport, NOTHING_DONE } from './deps.ts';
import type { ObjectMessage, SweepMessage } from './message.ts';
import { GARBAGE_QUEUE } from './queue.ts';

const PAGE = 200;
const CONCURRENCY = 16;

/** Whether what is stored beside the object is older than owner edges (K-26), or than the places of terminated pods (K-71). */
const isOutdated = ({ object, facts }: LiveRow): boolean => {
  const isOwned = (object.metadata.ownerReferences ?? []).length > 0;
  if (isOwned && facts.hasEdges !== true) return true;
  return facts.pod?.terminatedPlace === undefined && facts.pod !== undefined && isTerminated(object as Pod);
};

/** Writes an object as it is: its edges and places come with that. */
const bringUpToDate = async ({ writer }: CollectorDeps, { key, uid }: LiveRow): Promise<void> => {
  await writer.write(key, (found) => {
    const row = liveRow(found);
    return row?.uid === uid ? { next: row.object, writer: 'controller' } : undefined;
  });
};

/** Whether the garbage collector has something to do about the object. */
const isLeft = async (row: LiveRow, read: ReadRow): Promise<boolean> => {
  const { object } = row;
  if (isDeletingDependents(object) || isOrphaningDependents(object)) return true;
  if (object.metadata.deletionTimestamp !== undefined) return false;
  return (await judgeOwners(read, row)).some(({ state }) => state !== 'solid');
};

const sweepRow = async (
  deps: CollectorDeps,
  row: LiveRow,
  read: ReadRow,
): Promise<readonly ObjectMessage[]> => {
  if (isOutdated(row)) await bringUpToDate(deps, row);
  return (await isLeft(row, read)) ? [{ v: 1, kind: 'object', ...row.key, uid: row.uid }] : [];
};

/** Sweeps one page. Resolves to where the next one begins; `undefined`: this was the last one of its resource. */
const sweepPage = async (
  deps: CollectorDeps,
  resource: string,
  after: string | undefined,
  read: ReadRow,
): Promise<string | undefined> => {
  const cursor = after === undefined ? {} : { after };
  const page = await deps.objects.page({ resource, namespace: '', limit: PAGE, ...cursor });
  const found = (await inParallel(page.rows, CONCURRENCY, (row) => sweepRow(deps, row, read))).flat();
  if (found.length > 0)
    await deps.queues.send(
      GARBAGE_QUEUE.name,
      found.map((body) => ({ body })),
    );
  return page.next;
};

interface Position {
  readonly resource: string;
  readonly after?: string;
}

const positionAfter = (resource: string, next: string | undefined): Position | undefined => {
  if (next !== undefined) return { resource, after: next };
  const following = STORED_RESOURCES[STORED_RESOURCES.indexOf(resource) + 1];
  return following === undefined ? undefined : { resource: following };
};

/** Sweeps pages until the end or until `until` (ms). Resolves to where to go on. */
const sweepUntil = async (
  deps: CollectorDeps,
  from: Position | undefined,
  until: EpochMs,
): Promise<Position | undefined> => {
  const read = rememberRows(deps.objects);
  let position = from;
  do {
    if (!position) return undefined;
    const next = await sweepPage(deps, position.resource, position.after, read);
    position = positionAfter(position.resource, next);
  } while (deps.clock.now() < until);
  return position;
};

/**
 * Queues each object that the garbage collector has something to do about, as if it had just changed. It ends after some seconds, and sends
 * itself a message to go on. The end of a sweep is stored: from then on every object has its edges.
 */
export const sweep = async (
  deps: CollectorDeps,
  { resource = STORED_RESOURCES[0] ?? '', after, isFirst = false }: Omit<SweepMessage, 'v' | 'kind'> = {},
): Promise<CollectorReport> => {
  if (isFirst && (await deps.ownerEdges.areComplete())) return NOTHING_DONE;
  const from = { resource, ...optional('after', after) };
  const position = await sweepUntil(deps, from, deps.clock.now() + RUN_MS);
  if (position) await deps.queues.send(GARBAGE_QUEUE.name, [{ body: { v: 1, kind: 'sweep', ...position } }]);
  else if (!(await deps.ownerEdges.areComplete())) await deps.ownerEdges.complete();
  return NOTHING_DONE;
};
