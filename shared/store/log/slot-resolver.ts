import type { EpochMs } from '../../kube/values/time.ts';
import type { Slot } from '../../ports/store/change-log.ts';
import type { Revision } from '../../ports/store/rows.ts';
import { type CommitDeps, NUMBER_MAX_AGE_MS } from '../commit/commit-protocol.ts';

/** Milliseconds that a reader waits for the writer of a hole, by the reader's clock since it first saw the hole. */
export const HOLE_AGE_MS = 1_000;
const HOLE_JITTER_MS = 200;

/** The slots that could be read, and the hole that stops the reader. */
export interface Resolved {
  /** The filled slots from the start of the range up to the first young hole, or as many as one read returns, without a gap. */
  readonly slots: readonly Slot[];
  /** First hole that is still young; `undefined`: all that were read are filled. */
  readonly waitingFor?: Revision;
}

/** Fills holes in order. One resolver per reader: it remembers when it first saw each hole. */
export interface SlotResolver {
  /** Reads the slots in [from, to] and fills the holes that are older than `HOLE_AGE_MS` with tombstones. */
  resolve(from: Revision, to: Revision): Promise<Resolved>;
}

/**
 * The highest revision that can count as given up: a slot with a higher revision is old, so the writer of this one took it
 * even earlier. This only saves readers a wait; a suspended writer finds the tombstone and takes another revision.
 */
const givenUpBelow = (found: ReadonlyMap<Revision, Slot>, now: EpochMs): Revision =>
  [...found.values()].reduce(
    (highest, { revision, at }) => (at <= now - NUMBER_MAX_AGE_MS ? Math.max(highest, revision) : highest),
    0,
  );

/** Creates the resolver for one reader of a resource. */
export const createSlotResolver = ({ objects, clock, ids }: CommitDeps, resource: string): SlotResolver => {
  const firstSeen = new Map<Revision, EpochMs>();
  const isOld = (revision: Revision, now: EpochMs): boolean => {
    const seen = firstSeen.get(revision);
    // If the clock was set back, the hole counts as seen now; otherwise the wait would last until that instant came again.
    const isKnown = seen !== undefined && seen - now <= HOLE_AGE_MS;
    if (!isKnown) firstSeen.set(revision, now + ids.random() * HOLE_JITTER_MS);
    return seen !== undefined && now - seen >= HOLE_AGE_MS;
  };
  const fill = async (revision: Revision, now: EpochMs): Promise<Slot> => {
    const tombstone = { slot: 'tombstone', revision, attempt: ids.uuid(), at: now } as const;
    return (await objects.putTombstone(resource, tombstone)) ?? tombstone;
  };
  /** Each hole's age counts from when it was first seen, also for holes after the one that is waited for. */
  const oldHoles = (
    found: ReadonlyMap<Revision, Slot>,
    from: Revision,
    to: Revision,
    now: EpochMs,
  ): ReadonlySet<Revision> => {
    const old = new Set<Revision>();
    const givenUp = givenUpBelow(found, now);
    for (let n = from; n <= to; n += 1) if (!found.has(n) && (n < givenUp || isOld(n, now))) old.add(n);
    return old;
  };
  return {
    resolve: async (from, to) => {
      const { slots: found, upTo } = await objects.slots(resource, from, to);
      const now = clock.now();
      const old = oldHoles(found, from, upTo, now);
      const slots: Slot[] = [];
      for (let n = from; n <= upTo; n += 1) {
        const slot = found.get(n) ?? (old.has(n) ? await fill(n, now) : undefined);
        if (!slot) return { slots, waitingFor: n };
        firstSeen.delete(n);
        slots.push(slot);
      }
      return { slots };
    },
  };
};
