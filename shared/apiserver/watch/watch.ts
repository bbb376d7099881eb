/** One watch, from its first event to its last. */
import { internalError, StatusError } from '../../api/status-error.ts';
import type { EpochMs } from '../../api/time.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Pause } from '../answer/in-turns.ts';
import type { InTurn } from '../http.ts';
import type { ServedKind } from '../strategy.ts';
import { bookmarkAt, nextBookmarkAt, stateEndAt } from './bookmark.ts';
import type { Matches, WatchChange, WatchEvent } from './change.ts';
import { eventOf } from './change.ts';
import { errorLine, inPieces, lineOf, type Represent } from './lines.ts';
import type { WatchOptions } from './options.ts';
import type { Subscription } from './subscription.ts';
import { createTokenWatch } from './token-watch.ts';
import type { StateRequest, Watched } from './watched.ts';

/** What one watch shows, and when it ends. */
export interface Watch {
  readonly watched: Watched;
  readonly kind: ServedKind;
  readonly options: WatchOptions;
  /** Namespace and index to read; `matches` does the rest. */
  readonly request: StateRequest;
  readonly matches: Matches;
  readonly clock: Clock;
  readonly endsAt: EpochMs;
  /** Whether the watch ends with its first events, so that a buffered response is sent soon. */
  readonly endsWithEvents: boolean;
  readonly signal: AbortSignal;
  /** Runs each read of the initial state, which may be large, when its turn comes; without it, at once. */
  readonly inTurn?: InTurn | undefined;
  /** Lets others have a turn between pieces of the present state. */
  readonly pause?: Pause | undefined;
  readonly represent?: Represent | undefined;
  /** Whether the client's token is still valid: the watch ends within ten seconds after it is not. */
  readonly stillValid?: (() => Promise<boolean>) | undefined;
  readonly onError: (error: unknown) => void;
}

type Pieces = AsyncGenerator<string, void, undefined>;

const piecesOf = (watch: Watch, events: Iterable<WatchEvent>, isShared: boolean): Generator<string> => {
  function* lines(): Generator<string> {
    for (const event of events) yield lineOf(event, watch.represent, isShared);
  }
  return inPieces(lines());
};

/** As `piecesOf`, with a pause before each piece: the present state may be large. */
const pausing = async function* (watch: Watch, events: Iterable<WatchEvent>): Pieces {
  for (const piece of piecesOf(watch, events, false)) {
    await watch.pause?.();
    yield piece;
  }
};

async function* readInTurn<T>(parts: AsyncIterable<T>, inTurn: InTurn = (work) => work()): AsyncGenerator<T> {
  const reading = parts[Symbol.asyncIterator]();
  for (;;) {
    const { done, value } = await inTurn(() => reading.next());
    if (done) return;
    yield value;
  }
}

/**
 * Sends the objects of the initial state as ADDED, and a bookmark after them; returns the position from which to
 * go on.
 */
const sendState = async function* (watch: Watch): AsyncGenerator<string, number, undefined> {
  let position = 0;
  for await (const part of readInTurn(watch.watched.state(watch.request), watch.inTurn)) {
    position = part.position;
    const found = part.objects.filter(watch.matches);
    yield* pausing(
      watch,
      found.map((object) => ({ type: 'ADDED', object })),
    );
    if (watch.signal.aborted) return position;
  }
  if (watch.options.marksStateEnd) yield* piecesOf(watch, [stateEndAt(watch.kind, position)], false);
  return position;
};

const eventsOf = (changes: readonly WatchChange[], matches: Matches): readonly WatchEvent[] =>
  changes.flatMap((change) => eventOf(change, matches) ?? []);

/**
 * When to end a watch once it has sent events: immediately if buffered, unless those events may repeat what the
 * client already has.
 */
const endOfTold = ({ endsWithEvents, endsAt, watched, clock }: Watch): EpochMs =>
  endsWithEvents ? Math.min(endsAt, clock.now() + (watched.repeatsMs ?? 0)) : endsAt;

/** Sends the changes from the subscription's position on, and bookmarks while there are none. */
const sendChanges = async function* (watch: Watch, subscription: Subscription<WatchChange>): Pieces {
  const { clock, options, signal } = watch;
  let toldEndsAt = endOfTold(watch);
  const token = createTokenWatch(watch.stillValid, clock);
  let { endsAt } = watch;
  let seenAt = clock.now();
  let bookmarkDue = options.bookmarks ? nextBookmarkAt(clock.now(), endsAt) : Number.POSITIVE_INFINITY;
  while (!signal.aborted) {
    const until = Math.min(endsAt, bookmarkDue, token.dueAt());
    const events = eventsOf(await subscription.next(until), watch.matches);
    if (!(await token.isValid())) return;
    yield* piecesOf(watch, events, true);
    if (events.length > 0) endsAt = Math.min(endsAt, toldEndsAt);
    const now = clock.now();
    const setBackMs = Math.max(0, seenAt - now);
    [seenAt, endsAt, toldEndsAt, bookmarkDue] = [
      now,
      endsAt - setBackMs,
      toldEndsAt - setBackMs,
      bookmarkDue - setBackMs,
    ];
    if (now >= endsAt) return;
    if (now < bookmarkDue || signal.aborted) continue;
    yield* piecesOf(watch, [bookmarkAt(watch.kind, subscription.position())], false);
    bookmarkDue = nextBookmarkAt(now, endsAt);
  }
};

const follow = async function* (watch: Watch, from: number): Pieces {
  const subscription = watch.watched.changes.subscribe(from, watch.signal);
  try {
    yield* sendChanges(watch, subscription);
  } finally {
    subscription.close();
  }
};

const counted = async function* (
  pieces: AsyncGenerator<string, number, undefined>,
): AsyncGenerator<string, { readonly position: number; readonly count: number }, undefined> {
  for (let count = 0; ; count += 1) {
    const { done, value } = await pieces.next();
    if (done) return { position: value, count };
    yield value;
  }
};

const events = async function* (watch: Watch): Pieces {
  const { watched, options, endsWithEvents } = watch;
  if (options.sendsState) {
    const { position, count } = yield* counted(sendState(watch));
    if (!endsWithEvents || count === 0) yield* follow(watch, position);
    return;
  }
  const { version } = options;
  yield* follow(watch, version === undefined ? await watched.head() : await watched.positionOf(version));
};

/** The error that the client is shown; the cause of an internal one is only logged. */
const shown = (error: unknown, onError: Watch['onError']): StatusError => {
  if (error instanceof StatusError && error.code < 500) return error;
  onError(error);
  return error instanceof StatusError ? error : internalError('the watch could not continue');
};

/**
 * The lines of the watch in pieces. It ends without an error when its time is over or the client's token is no
 * longer valid, with an ERROR event after an error, and silently when aborted.
 */
export const watchLines = async function* (watch: Watch): Pieces {
  try {
    yield* events(watch);
  } catch (error) {
    if (!watch.signal.aborted) yield errorLine(shown(error, watch.onError));
  }
};
