/** Closes the change log against writes that were decided by an older book of holds. */
import { chunksOf } from '../../kube/values/chunks-of.ts';
import type { EpochMs } from '../../kube/values/time.ts';
import type { Counter } from '../../ports/store/change-log.ts';
import { HELD_RESOURCES } from '../../ports/store/object-store.ts';
import type { Revision } from '../../ports/store/rows.ts';
import type { CommitDeps } from '../commit/commit-protocol.ts';
import { SLOTS_AT_ONCE } from '../log/settled-slots.ts';
import { inParallel } from '../turns/in-parallel.ts';

/** No function that destroys lives longer (ms), so that none has a revision that it took before. A test compares it with the time-outs. */
export const OLDEST_WRITER_MS = 180_000;
/** Revisions that writers may have taken before the first of them has stored a floor sample. */
const UNSAMPLED = 256;
const MINUTE_MS = 60_000;
const READS_AT_ONCE = 8;
const TOMBSTONES_AT_ONCE = 32;

/** The revision up to which no slot can be filled any more: all are, or whoever took them lives no more. */
const closedUpTo = async (
  { objects }: CommitDeps,
  resource: string,
  { watermarks, seed }: Counter,
  now: EpochMs,
): Promise<Revision> => {
  const samples = await objects.floorSamples(resource);
  const minute = Math.floor((now - OLDEST_WRITER_MS) / MINUTE_MS) - 1;
  const old = samples.findLast((sample) => sample.minute <= minute)?.counter;
  const first = (samples[0]?.counter ?? seed) - UNSAMPLED;
  return Math.max(seed, old ?? first, watermarks.at(-1)?.revision ?? seed);
};

/** Fills the holes among the slots in [from, to]. Who has taken one of them takes another revision, with the epoch of today. */
const fillHoles = async (
  { objects, clock, ids }: CommitDeps,
  resource: string,
  from: Revision,
  to: Revision,
): Promise<void> => {
  for (let next = from; next <= to; ) {
    const { slots, upTo } = await objects.slots(resource, next, to);
    const holes = Array.from({ length: upTo - next + 1 }, (_, n) => next + n).filter((n) => !slots.has(n));
    await inParallel(holes, TOMBSTONES_AT_ONCE, (revision) =>
      objects.putTombstone(resource, {
        slot: 'tombstone',
        revision,
        attempt: ids.uuid(),
        at: clock.now(),
      }),
    );
    next = upTo + 1;
  }
};

const closeLog = async (deps: CommitDeps, resource: string, epoch: number): Promise<void> => {
  const { objects, clock } = deps;
  const top = await objects.raiseHoldEpoch(resource, epoch, clock.now());
  const counter = await objects.counter(resource);
  if (!counter) return;
  const closed = await closedUpTo(deps, resource, counter, clock.now());
  const filled = Math.max(closed, await objects.filledUpTo(resource, closed, Math.max(closed, top)));
  const open = Array.from({ length: Math.max(0, top - filled) }, (_, n) => filled + 1 + n);
  await inParallel(chunksOf(open, SLOTS_AT_ONCE), READS_AT_ONCE, (slots) =>
    fillHoles(deps, resource, slots[0] ?? 0, slots.at(-1) ?? 0),
  );
};

/**
 * From its end on no write is committed that was decided by a book of an epoch before this one: a revision above the counter is taken with the
 * epoch, and each slot at or below it is filled. V-105.
 */
export const closeLogs = async (deps: CommitDeps, epoch: number): Promise<void> => {
  await inParallel(HELD_RESOURCES, HELD_RESOURCES.length, (resource) => closeLog(deps, resource, epoch));
};
