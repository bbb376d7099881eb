/** What a process knows of the book of holds. */
import type { Clock } from '../../ports/process/clock.ts';
import type { ControlStore } from '../../ports/store/control-store.ts';
import { BOOK_VERSION, type HoldBook, NO_HOLDS } from '../../rules/holds/hold-book.ts';

/** A hold may have ended since the book was read. After so long (ms) it is read again before anything waits for it. */
export const FRESH_MS = 2_000;

/** The book is missing, or this version does not understand it: nothing may be destroyed. */
export class HoldsUnreadable extends Error {
  override readonly name = 'HoldsUnreadable';
}

/** The book as one process has read it last. Before that nothing is known, and it is as if there had never been a hold. */
export interface KnownHolds {
  book(): HoldBook;
  /** Reads the book, if it was read more than `FRESH_MS` ago; whether it has read it. Throws `HoldsUnreadable`. */
  refresh(): Promise<boolean>;
  /** The book of this epoch, or of a later one. Throws `HoldsUnreadable`. */
  atLeast(epoch: number): Promise<HoldBook>;
}

/** What knowing the holds needs. */
export interface KnownHoldsDeps {
  readonly control: Pick<ControlStore, 'holdBook'>;
  readonly clock: Pick<Clock, 'now'>;
}

/** Reads the book; without one it is `NO_HOLDS`. Throws `HoldsUnreadable`. */
export const readBook = async ({ control }: Pick<KnownHoldsDeps, 'control'>): Promise<HoldBook> => {
  const book = await control.holdBook();
  const form: number = book?.v ?? BOOK_VERSION;
  if (form !== BOOK_VERSION)
    throw new HoldsUnreadable(`the book of holds has the form ${form}, which a later version has written`);
  return book ?? NO_HOLDS;
};

/** Creates what one process knows of the holds. It reads nothing until a counter says that there is a book. */
export const createKnownHolds = (deps: KnownHoldsDeps): KnownHolds => {
  let known = NO_HOLDS;
  let readAt = Number.NEGATIVE_INFINITY;
  const read = async (): Promise<HoldBook> => {
    const now = deps.clock.now();
    const book = await readBook(deps);
    // Two reads may overtake each other.
    if (book.epoch >= known.epoch) known = book;
    readAt = Math.max(readAt, now);
    return known;
  };
  return {
    book: () => known,
    refresh: async () => {
      const age = deps.clock.now() - readAt;
      const isFresh = 0 <= age && age <= FRESH_MS;
      if (!isFresh) await read();
      return !isFresh;
    },
    atLeast: async (epoch) => {
      const book = known.epoch >= epoch ? known : await read();
      if (book.epoch < epoch) throw new HoldsUnreadable(`the book of holds of epoch ${epoch} is not there`);
      return book;
    },
  };
};
