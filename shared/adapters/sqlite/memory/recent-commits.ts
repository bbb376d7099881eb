/** The last commits, in memory: readers of the feed and of the log share them, and read no file for what was just written. */
import type { EpochMs } from '../../../kube/values/time.ts';
import type { FeedChange, FeedPosition } from '../../../ports/store/change-feed.ts';
import type { Slot } from '../../../ports/store/change-log.ts';
import type { SlotRange } from '../../../ports/store/object-store.ts';
import type { Revision } from '../../../ports/store/rows.ts';
import { CHARACTERS_AT_ONCE } from '../file/turns.ts';
import type { StoredSlot } from './stored-row.ts';

/** A change as the feed has it. */
export interface RecentChange {
  readonly position: FeedPosition;
  readonly characters: number;
  change(): FeedChange;
}

/** A slot with its place. */
export interface RecentSlot extends StoredSlot {
  readonly resource: string;
  readonly revision: Revision;
  /** See `LogEntry`. */
  readonly at: EpochMs;
}

/** What one transaction has written: a commit, or the tombstone of a hole. */
export interface Recent {
  readonly change?: RecentChange;
  readonly slots: readonly RecentSlot[];
}

/** What the file has at the start. */
export interface Newest {
  readonly position: FeedPosition;
  readonly revisions: ReadonlyMap<string, Revision>;
}

export interface RecentCommits {
  /** Call it as soon as the file has it, in its transaction. */
  add(recent: Recent): void;
  /** A place to which `undo` can go back. */
  mark(): number;
  /** Forgets what was added after `mark`, whose transaction has failed. */
  undo(mark: number): void;
  /** The changes after a position, as `ChangeFeed.read`; `undefined`: the file has to be read. */
  changes(after: FeedPosition, limit: number): readonly FeedChange[] | undefined;
  /** The slots of a range, as `ObjectStore.slots`; `undefined`: the file has to be read. */
  slots(resource: string, from: Revision, to: Revision): SlotRange | undefined;
  /** The slot of a revision, or that it is free; `undefined`: the file has to be read. */
  slot(resource: string, revision: Revision): { readonly slot: Slot | undefined } | undefined;
  /** Forgets all: what is stored was changed. */
  forget(): void;
  /** Forgets what has slots from before an instant, and what is older: these slots are about to be removed. */
  forgetBefore(at: EpochMs): void;
}

interface OfResource {
  readonly slots: Map<Revision, RecentSlot>;
  /** Each stored slot from this revision on is in `slots`. */
  from: Revision;
  newest: Revision;
}

/** A slot has a few hundred bytes besides its body. */
const CHARACTERS_OF_A_SLOT = 200;
/** Revisions in a range above which the file is read: it has an index of those that are filled. */
const LONG_RANGE = 4_096;

const charactersOf = ({ slots }: Recent): number =>
  slots.reduce((sum, { characters }) => sum + characters + CHARACTERS_OF_A_SLOT, 0);

/** Takes values until their texts have `CHARACTERS_AT_ONCE`. */
const takeSome = <T extends { readonly characters: number }>(values: Iterable<T>) => {
  const taken: T[] = [];
  let characters = 0;
  for (const value of values) {
    taken.push(value);
    characters += value.characters;
    if (characters >= CHARACTERS_AT_ONCE) return { taken, isCut: true };
  }
  return { taken, isCut: false };
};

const createLog = ({ revisions }: Newest) => {
  const resources = new Map<string, OfResource>();
  const of = (resource: string): OfResource => {
    const known = resources.get(resource);
    if (known) return known;
    const newest = revisions.get(resource) ?? 0;
    const created = { slots: new Map(), from: newest + 1, newest };
    resources.set(resource, created);
    return created;
  };
  function* between({ slots }: OfResource, from: Revision, to: Revision): Generator<RecentSlot> {
    for (let revision = from; revision <= to; revision += 1) {
      const slot = slots.get(revision);
      if (slot) yield slot;
    }
  }
  return {
    add: (slot: RecentSlot): void => {
      const { slots, newest } = of(slot.resource);
      slots.set(slot.revision, slot);
      of(slot.resource).newest = Math.max(newest, slot.revision);
    },
    undo: ({ resource, revision }: RecentSlot) => of(resource).slots.delete(revision),
    drop: ({ resource, revision }: RecentSlot): void => {
      const found = of(resource);
      found.slots.delete(revision);
      found.from = Math.max(found.from, revision + 1);
    },
    slot: (resource: string, revision: Revision) => {
      const { slots, from } = of(resource);
      return revision < from ? undefined : { slot: slots.get(revision)?.slot() };
    },
    slots: (resource: string, from: Revision, to: Revision): SlotRange | undefined => {
      const found = of(resource);
      if (from < found.from || to - from > LONG_RANGE) return undefined;
      const { taken, isCut } = takeSome(between(found, from, to));
      const slots = new Map(taken.map(({ revision, slot }) => [revision, slot()]));
      return { slots, upTo: isCut ? (taken.at(-1)?.revision ?? to) : to };
    },
    forget: (): void => {
      for (const found of resources.values()) {
        found.slots.clear();
        found.from = found.newest + 1;
      }
    },
  };
};

const createChanges = ({ position }: Newest) => {
  const known = new Map<FeedPosition, RecentChange>();
  let [from, newest] = [position + 1, position];
  function* after(position: FeedPosition, limit: number): Generator<RecentChange> {
    for (let next = position + 1; next <= Math.min(newest, position + limit); next += 1) {
      const change = known.get(next);
      if (change) yield change;
    }
  }
  return {
    add: (change: RecentChange): void => {
      known.set(change.position, change);
      newest = change.position;
    },
    undo: ({ position }: RecentChange): void => {
      known.delete(position);
      newest = Math.min(newest, position - 1);
    },
    drop: ({ position }: RecentChange): void => {
      known.delete(position);
      from = position + 1;
    },
    changes: (position: FeedPosition, limit: number): readonly FeedChange[] | undefined =>
      position + 1 < from ? undefined : takeSome(after(position, limit)).taken.map(({ change }) => change()),
    forget: (): void => {
      known.clear();
      from = newest + 1;
    },
  };
};

/** Keeps at most `most.commits`, of at most `most.characters`. */
export const createRecentCommits = (
  newest: Newest,
  most: { readonly commits: number; readonly characters: number },
): RecentCommits => {
  const log = createLog(newest);
  const feed = createChanges(newest);
  /** By their number, which only rises. */
  const kept = new Map<number, Recent>();
  let [oldest, next, characters] = [0, 0, 0];
  const take = (number: number): Recent | undefined => {
    const recent = kept.get(number);
    kept.delete(number);
    characters -= recent ? charactersOf(recent) : 0;
    return recent;
  };
  const dropOldest = (): void => {
    const { change, slots = [] } = take(oldest) ?? {};
    oldest += 1;
    if (change) feed.drop(change);
    for (const slot of slots) log.drop(slot);
  };
  return {
    add: (recent) => {
      kept.set(next, recent);
      next += 1;
      characters += charactersOf(recent);
      if (recent.change) feed.add(recent.change);
      for (const slot of recent.slots) log.add(slot);
      while (next - oldest > most.commits || (characters > most.characters && oldest < next)) dropOldest();
    },
    mark: () => next,
    undo: (mark) => {
      for (; next > mark; next -= 1) {
        const { change, slots = [] } = take(next - 1) ?? {};
        if (change) feed.undo(change);
        for (const slot of slots) log.undo(slot);
      }
      oldest = Math.min(oldest, next);
    },
    forgetBefore: (at) => {
      let last = oldest - 1;
      for (const [number, { slots }] of kept) if (slots.some((slot) => slot.at < at)) last = number;
      while (oldest <= last) dropOldest();
    },
    changes: feed.changes,
    slots: log.slots,
    slot: log.slot,
    forget: () => {
      kept.clear();
      [oldest, characters] = [next, 0];
      feed.forget();
      log.forget();
    },
  };
};
