/** Looks at an object: at its owners if it lives, at its dependents if it goes. */
import { type EpochMs, parseTime } from '../../../shared/kube/values/time.ts';
import type { Dependent } from '../../../shared/ports/store/owner-edges.ts';
import { type LiveRow, liveRow } from '../../../shared/ports/store/rows.ts';
import {
  isDeletingDependents,
  isOrphaningDependents,
  ORPHAN,
  withoutOwners,
} from '../../../shared/rules/owners/garbage.ts';
import { inParallel } from '../../../shared/store/turns/in-parallel.ts';
import { readLive } from '../../../shared/store/writer/dependents.ts';
import { areEdgesComplete } from '../../../shared/store/writer/owner-edges.ts';
import { type CollectorDeps, type CollectorReport, keyIn, NOTHING_DONE, sumOf } from '../deps.ts';
import type { ObjectMessage } from '../message.ts';
import { GARBAGE_QUEUE } from '../queue.ts';
import { collectObject } from './collect-object.ts';
import { finishForeground, takeOff } from './finish-owner.ts';
import { rememberRows } from './owners.ts';

/**
 * Milliseconds after which a run reads no further page, and sends the message again with a cursor. The run then ends before its function
 * times out, and before the host's queue delivers the message again.
 */
export const RUN_MS = 10_000;
/** Seconds until something is tried again that could not be done now. */
const AGAIN_SECONDS = 10;

const PAGE = 100;
/**
 * Dependents of one owner at the same time. On DynamoDB their transactions check the owner's row and so meet there; one that is refused
 * is sent again.
 */
const CONCURRENCY = 8;

/** Where a run stopped. */
interface Progress<T> {
  readonly results: readonly T[];
  /** The cursor from which the next run goes on; `undefined`: all dependents were seen. */
  readonly next?: string;
}

const sendAgain = (deps: CollectorDeps, body: ObjectMessage, delaySeconds?: number): Promise<void> =>
  deps.queues.send(GARBAGE_QUEUE.name, [{ body, ...(delaySeconds ? { delaySeconds } : {}) }]);

/** A dependent that fails is queued on its own: the others need not wait for it, and it is dead-lettered alone. */
const collectOrQueue = async (
  deps: CollectorDeps,
  { key, uid }: Dependent,
  read: ReturnType<typeof rememberRows>,
): Promise<CollectorReport> => {
  try {
    return await collectObject(deps, key, uid, read);
  } catch {
    await sendAgain(deps, { v: 1, kind: 'object', ...key, uid }, AGAIN_SECONDS);
    return { ...NOTHING_DONE, failed: 1 };
  }
};

/** Works on the dependents from `after` on. It starts no further page at or after `until` (ms). */
const eachDependent = async <T>(
  { clock, ownerEdges }: Pick<CollectorDeps, 'clock' | 'ownerEdges'>,
  owner: string,
  after: string | undefined,
  until: EpochMs,
  work: (dependent: Dependent) => Promise<T>,
): Promise<Progress<T>> => {
  const results: T[] = [];
  let next = after;
  do {
    const cursor = next === undefined ? {} : { after: next };
    const page = await ownerEdges.dependents({ owner, limit: PAGE, ...cursor });
    results.push(...(await inParallel(page.dependents, CONCURRENCY, work)));
    next = page.next;
  } while (next !== undefined && clock.now() < until);
  return next === undefined ? { results } : { results, next };
};

/** Looks at all dependents of an owner that is gone or goes. */
const collectDependents = async (
  deps: CollectorDeps,
  message: ObjectMessage,
  until: EpochMs,
): Promise<{ readonly report: CollectorReport; readonly isDone: boolean }> => {
  const read = rememberRows(deps.objects);
  const { results, next } = await eachDependent(deps, message.uid, message.after, until, (dependent) =>
    collectOrQueue(deps, dependent, read),
  );
  if (next !== undefined) await sendAgain(deps, { ...message, after: next });
  return { report: sumOf(results), isDone: next === undefined };
};

/** Takes the reference to the owner off one dependent. Resolves to whether it had one. */
const orphan = async (
  { writer }: CollectorDeps,
  { key, uid }: Dependent,
  owner: string,
): Promise<boolean> => {
  const result = await writer.write(key, (found) => {
    const row = liveRow(found);
    if (row?.uid !== uid) return undefined;
    const next = withoutOwners(row.object, [owner]);
    return next === row.object ? undefined : { next, writer: 'controller' };
  });
  return result.outcome === 'written';
};

/** Milliseconds until every dependent that was made before the deletion is sure to be seen. */
const untilVisible = ({ clock, objects }: CollectorDeps, { object }: LiveRow): number => {
  const { tableMs } = objects.lag;
  if (tableMs === 0) return 0;
  // The time of the deletion is in whole seconds.
  const begunAt = (parseTime(object.metadata.deletionTimestamp ?? '') ?? 0) + 1_000;
  return Math.max(0, begunAt + tableMs - clock.now());
};

/**
 * Ends a deletion that leaves the dependents alone, after a look at all of them. A dependent that was overlooked would be deleted, so that
 * look must have begun when none could be; if not, there is another one. Objects that are older than owner edges get theirs by a sweep first.
 */
const finishOrphaning = async (
  deps: CollectorDeps,
  row: LiveRow,
  message: ObjectMessage,
  seesAll: boolean,
): Promise<CollectorReport> => {
  const isComplete = await areEdgesComplete(deps.ownerEdges);
  if (seesAll && isComplete) return takeOff(deps, row, ORPHAN);
  if (!isComplete) await deps.queues.send(GARBAGE_QUEUE.name, [{ body: { v: 1, kind: 'sweep' } }]);
  const { after: _after, seesAll: _seesAll, ...again } = message;
  const waitMs = isComplete ? untilVisible(deps, row) : AGAIN_SECONDS * 1_000;
  await sendAgain(deps, again, Math.min(900, Math.ceil(waitMs / 1_000)));
  return NOTHING_DONE;
};

const orphanDependents = async (
  deps: CollectorDeps,
  row: LiveRow,
  message: ObjectMessage,
  until: EpochMs,
): Promise<CollectorReport> => {
  const seesAll = message.after === undefined ? untilVisible(deps, row) === 0 : message.seesAll === true;
  const { results, next } = await eachDependent(deps, row.uid, message.after, until, (dependent) =>
    orphan(deps, dependent, row.uid),
  );
  const report = { ...NOTHING_DONE, orphaned: results.filter(Boolean).length };
  if (next === undefined) return sumOf([report, await finishOrphaning(deps, row, message, seesAll)]);
  await sendAgain(deps, { ...message, after: next, seesAll });
  return report;
};

/** Looks at an object and, if it goes, at its dependents. Throws if something could not be read, or a dependent could not be orphaned. */
export const lookAt = async (deps: CollectorDeps, message: ObjectMessage): Promise<CollectorReport> => {
  const until = deps.clock.now() + RUN_MS;
  const row = await readLive(deps, { key: keyIn(message), uid: message.uid });
  if (!row) return (await collectDependents(deps, message, until)).report;
  if (isOrphaningDependents(row.object)) return orphanDependents(deps, row, message, until);
  if (!isDeletingDependents(row.object)) return collectObject(deps, row.key, row.uid, deps.objects.read);
  const { report, isDone } = await collectDependents(deps, message, until);
  return isDone ? sumOf([report, await finishForeground(deps, row)]) : report;
};
