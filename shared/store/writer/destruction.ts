/** A write that holds can stop. */
import type { HoldClass } from '../../kube/types/hold.ts';
import type { ApiObject } from '../../kube/types/meta.ts';
import { optional } from '../../kube/values/optional.ts';
import type { EpochMs } from '../../kube/values/time.ts';
import type { ObjectKey, Row } from '../../ports/store/rows.ts';
import type { Destroyed } from '../../rules/destroyed.ts';
import { type HoldTarget, heldBy } from '../../rules/holds/held-by.ts';
import type { ActiveHold, HoldBook } from '../../rules/holds/hold-book.ts';
import type { KnownHolds } from './known-holds.ts';
import type { Decide, ObjectWrite, ObjectWriter, WriteResult } from './object-writer.ts';

/** A write that destroys something, what stops it, and the node that it is about. */
export interface Destruction
  extends Omit<ObjectWrite, 'next' | 'lastState' | 'decidedBy'>,
    Destroyed<{ readonly next: ApiObject | 'delete'; readonly lastState?: ApiObject }> {
  /** `undefined`: nothing stops it. */
  readonly stops: HoldClass | undefined;
  readonly node: HoldTarget;
}

/** As `Decide`, for a write that destroys. */
export type DecideDestruction = (row: Row | undefined, now: EpochMs) => Destruction | undefined;

/** The result of a write that destroys. `held`: a hold has stopped it, and nothing was written. */
export type DestroyResult = WriteResult | { readonly outcome: 'held'; readonly by: ActiveHold };

const writeOf = (
  { destroyed, stops, node: _node, ...more }: Destruction,
  holds: KnownHolds,
  { epoch }: HoldBook,
): ObjectWrite => ({
  ...more,
  ...destroyed,
  ...optional('decidedBy', stops && { epoch, outdated: holds.atLeast }),
});

const stopping = (book: HoldBook, { stops, node }: Destruction, now: EpochMs): ActiveHold | undefined =>
  stops && heldBy(book, stops, node, now);

/**
 * Writes with `write` what `decide` wants, unless a hold stops it. That a hold stops it is said by a book that is fresh; that none does, also by
 * an old one, because the write takes its revision together with the epoch of today (V-103).
 */
const destroyWith = async (
  holds: KnownHolds,
  decide: DecideDestruction,
  write: (decide: Decide) => Promise<WriteResult>,
): Promise<DestroyResult> => {
  let by: ActiveHold | undefined;
  const decideUnheld: Decide = (row, now) => {
    const wanted = decide(row, now);
    const book = holds.book();
    by = wanted && stopping(book, wanted, now);
    return wanted && !by ? writeOf(wanted, holds, book) : undefined;
  };
  for (;;) {
    const result = await write(decideUnheld);
    if (!by) return result;
    if (!(await holds.refresh())) return { outcome: 'held', by };
  }
};

/** Writes single objects, also where that destroys something. */
export interface DestroyingWriter extends ObjectWriter {
  /**
   * As `write`, for what holds can stop: `held` if one does. After a hold is in force no such write is committed (V-105). Throws
   * `HoldsUnreadable`, too.
   */
  destroy(key: ObjectKey, decide: DecideDestruction, seen?: Row | 'absent'): Promise<DestroyResult>;
}

/** The same writer, which also destroys what no hold stops. */
export const withHolds = (writer: ObjectWriter, holds: KnownHolds): DestroyingWriter => ({
  ...writer,
  destroy: (key, decide, seen) =>
    destroyWith(holds, decide, (decideUnheld) => writer.write(key, decideUnheld, seen)),
});
