/** One watch, from its first event to its last. */

import type { ServedKind } from '../../kinds/contract/strategy.ts';
import { internalError, StatusError } from '../../kube/errors/status-error.ts';
import type { EpochMs } from '../../kube/values/time.ts';
import type { Clock } from '../../ports/process/clock.ts';
import { bookmarkAt, nextBookmarkAt, stateEndAt } from '../changes/bookmark.ts';
import type { Matches, WatchChange, WatchEvent } from '../changes/change.ts';
import { eventOf } from '../changes/change.ts';
import { errorLine, inPieces, lineOf, type Represent } from '../changes/lines.ts';
import type { InTurn } from '../contract/http.ts';
import type { Pause } from '../contract/in-turns.ts';
import type { Subscription } from '../feed/subscription.ts';
import type { StatePart, StateRequest, Watched } from '../feed/watched.ts';
import type { WatchOptions } from './options.ts';
import { createTokenWatch } from './token-watch.ts';

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
  /** Runs each read of the initial state after the first one when its turn comes, for it may be large; without it, at once. */
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

/** The first part now; the others when they are asked for, each in its turn. */
const beginningWith = async <T>(
  parts: AsyncIterable<T>,
  inTurn: InTurn = (work) => work(),
): Promise<AsyncIterable<T>> => {
  const reading = parts[Symbol.asyncIterator]();
  let part = await reading.next();
  return (async function* () {
    while (!part.done) {
      yield part.value;
      part = await inTurn(() => reading.next());
    }
  })();
};

/**
 * Sends the objects of the initial state as ADDED, and a bookmark after them; returns the position from which to
 * go on.
 */
const sendState = async function* (
  watch: Watch,
  state: AsyncIterable<StatePart>,
): AsyncGenerator<string, number, undefined> {
  let position = 0;
  for await (const part of state) {
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

/** Where a watch begins: with the state of a moment, or after a position. */
type Beginning = { readonly state: AsyncIterable<StatePart> } | { readonly position: number };

const beginningOf = async ({ watched, options, request, inTurn }: Watch): Promise<Beginning> => {
  if (options.sendsState) return { state: await beginningWith(watched.state(request), inTurn) };
  const { version } = options;
  return { position: version === undefined ? await watched.head() : await watched.positionOf(version) };
};

const events = async function* (watch: Watch, beginning: Beginning): Pieces {
  if ('position' in beginning) {
    yield* follow(watch, beginning.position);
    return;
  }
  const { position, count } = yield* counted(sendState(watch, beginning.state));
  if (!watch.endsWithEvents || count === 0) yield* follow(watch, position);
};

/** The error that the client is shown; the cause of an internal one is only logged. */
const shown = (error: unknown, onError: Watch['onError']): StatusError => {
  if (error instanceof StatusError && error.code < 500) return error;
  onError(error);
  return error instanceof StatusError ? error : internalError('the watch could not continue');
};

const linesFrom = async function* (watch: Watch, beginning: Promise<Beginning>): Pieces {
  try {
    yield* events(watch, await beginning);
  } catch (error) {
    if (!watch.signal.aborted) yield errorLine(shown(error, watch.onError));
  }
};

/**
 * The lines of the watch in pieces, once it is known where the watch begins: a client that has seen the answer begin
 * is told of each change from then on. They end without an error when the watch's time is over or the client's token is
 * no longer valid, with an ERROR event after an error, also one of the beginning, and silently when aborted.
 */
export const openWatchLines = async (watch: Watch): Promise<Pieces> => {
  const beginning = beginningOf(watch);
  await Promise.allSettled([beginning]);
  return linesFrom(watch, beginning);
};
