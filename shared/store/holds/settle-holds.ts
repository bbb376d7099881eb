/** Brings Holds into force, and ends them (V-104). Any number of processes may repeat each step. */
import type { Hold } from '../../kube/types/hold.ts';
import type { ControlStore } from '../../ports/store/control-store.ts';
import { liveRow, type ObjectKey } from '../../ports/store/rows.ts';
import { type HoldBook, nextBook, type PastHold } from '../../rules/holds/hold-book.ts';
import { isInForce, isOver } from '../../rules/holds/hold-state.ts';
import { isBooked, withHoldState } from '../../rules/holds/hold-status.ts';
import type { CommitDeps } from '../commit/commit-protocol.ts';
import { listAll } from '../lists/list-all.ts';
import type { Lister } from '../lists/lists.ts';
import { readBook } from '../writer/known-holds.ts';
import type { ObjectWriter } from '../writer/object-writer.ts';
import { closeLogs } from './close-logs.ts';

/** Plural name of the resource. */
export const HOLDS = 'holds';

/** What settling needs. */
export interface HoldDeps extends CommitDeps {
  readonly control: Pick<ControlStore, 'holdBook' | 'replaceHoldBook'>;
  readonly lister: Lister;
  readonly writer: ObjectWriter;
}

/** What settling has led to. */
export interface SettledHolds {
  readonly book: HoldBook;
  /** Holds that have come into force, or of which it was not known for how many nodes they hold. */
  readonly begun: readonly Hold[];
  /** Holds that have left the book. */
  readonly ended: readonly PastHold[];
}

const keyOf = ({ metadata: { name } }: Hold): ObjectKey => ({ resource: HOLDS, namespace: '', name });

interface Booked {
  readonly before: HoldBook;
  readonly book: HoldBook;
  readonly holds: readonly Hold[];
}

/** Replaces the book until it follows from the Holds. It is read before them, so that no Hold of it is taken for gone that is only newer. */
const bookHolds = async (deps: HoldDeps, spreadMs: number | undefined): Promise<Booked> => {
  for (;;) {
    const before = await readBook(deps);
    const holds = await listAll<Hold>(deps.lister, HOLDS, '');
    const book = nextBook(before, holds, deps.clock.now(), spreadMs);
    if (book === before || (await deps.control.replaceHoldBook(before.epoch, book)))
      return { before, book, holds };
  }
};

/** How many nodes a Hold is about; `undefined`: it is not counted now. */
export type CountHeld = (hold: Hold) => Promise<number | undefined>;

const uncounted: CountHeld = async () => undefined;

/** Writes the status of a Hold, only while it is there. Resolves to the Hold if that was news. */
const writeState = async (
  { writer }: HoldDeps,
  { metadata, ...hold }: Hold,
  book: HoldBook,
  count: CountHeld,
): Promise<Hold | undefined> => {
  const held = await count({ metadata, ...hold });
  const result = await writer.write(keyOf({ metadata, ...hold }), (found, now) => {
    const row = liveRow(found);
    if (!row || row.uid !== metadata.uid || row.object.metadata.deletionTimestamp !== undefined)
      return undefined;
    const state = isBooked(row.object, book) && !isOver(row.object, now) ? 'Held' : 'Expired';
    const next = withHoldState(row.object, state, book.epoch, now, held);
    return next === row.object ? undefined : { next, writer: 'controller' };
  });
  return result.outcome === 'written' ? result.object : undefined;
};

const isSettled = (hold: Hold, book: HoldBook): boolean =>
  hold.metadata.deletionTimestamp !== undefined || isInForce(hold) === isBooked(hold, book);

/**
 * Makes the book follow from the Holds, closes the log against what an older book has decided, and says so in the status of each Hold.
 * Without `spreadMs` no hold ends, see `nextBook`.
 */
export const settleHolds = async (
  deps: HoldDeps,
  spreadMs?: number,
  count: CountHeld = uncounted,
): Promise<SettledHolds> => {
  const { before, book, holds } = await bookHolds(deps, spreadMs);
  const lacksCount = (hold: Hold): boolean =>
    count !== uncounted && isInForce(hold) && hold.status?.heldNodes === undefined;
  const news = holds.filter((hold) => !isSettled(hold, book) || lacksCount(hold));
  if (book !== before || news.some((hold) => !isInForce(hold) && isBooked(hold, book)))
    await closeLogs(deps, book.epoch);
  const begun: Hold[] = [];
  for (const hold of news) {
    const written = await writeState(deps, hold, book, count);
    if (written && isInForce(written)) begun.push(written);
  }
  const known = new Set(before.past.map(({ uid }) => uid));
  return { book, begun, ended: book.past.filter(({ uid }) => !known.has(uid)) };
};
