/** The book of holds: what every write that destroys asks. It follows from the Hold objects and from the book before. */
import { deepEqual } from '../../kube/json/deep-equal.ts';
import { byText } from '../../kube/text/compare-text.ts';
import { DEFAULT_STOPS, type Hold, type HoldClass } from '../../kube/types/hold.ts';
import type { LabelSelector } from '../../kube/types/meta.ts';
import { optional } from '../../kube/values/optional.ts';
import { type EpochMs, parseTime } from '../../kube/values/time.ts';

/** The version of the form in which books are stored. */
export const BOOK_VERSION = 1;
/** The most holds of each list of a book. */
export const MOST_HOLDS = 32;
/** For how long (ms) a hold that has ended is kept. */
const PAST_MS = 7 * 24 * 60 * 60_000;

/** Which nodes a hold is about, and what it stops. */
export interface HoldScope {
  readonly uid: string;
  readonly name: string;
  readonly zones?: readonly string[];
  readonly nodeSelector?: LabelSelector;
  readonly stops: readonly HoldClass[];
  /** Since when it stands in the book (ms). */
  readonly from: EpochMs;
}

/** A hold that stops something until `until` (ms), or until its object is deleted. */
export interface ActiveHold extends HoldScope {
  readonly until?: EpochMs;
  readonly by?: string;
  readonly reason?: string;
}

/** A hold that has ended at `to` (ms). What waited begins within `spreadMs` after that. */
export interface PastHold extends HoldScope {
  readonly to: EpochMs;
  readonly spreadMs: number;
}

/** All holds. Each change of the book raises `epoch`. */
export interface HoldBook {
  readonly v: typeof BOOK_VERSION;
  readonly epoch: number;
  readonly active: readonly ActiveHold[];
  /** The oldest end first. */
  readonly past: readonly PastHold[];
}

/** The book of a cluster in which no hold has ever been. */
export const NO_HOLDS: HoldBook = { v: BOOK_VERSION, epoch: 0, active: [], past: [] };

const instantOf = (text: string | undefined): EpochMs | undefined =>
  text === undefined ? undefined : parseTime(text);

const scopeOf = ({ metadata, spec = {} }: Hold, from: EpochMs): HoldScope => ({
  uid: metadata.uid ?? '',
  name: metadata.name,
  ...optional('zones', spec.zones),
  ...optional('nodeSelector', spec.nodeSelector),
  stops: spec.stops ?? DEFAULT_STOPS,
  from,
});

const activeOf = (hold: Hold, from: EpochMs): ActiveHold => ({
  ...scopeOf(hold, from),
  ...optional('until', instantOf(hold.spec?.until)),
  ...optional('by', hold.status?.by),
  ...optional('reason', hold.spec?.reason),
});

/** Whether its `until` is not over at `now` (ms). */
export const isStanding = ({ until }: ActiveHold, now: EpochMs): boolean =>
  until === undefined || now < until;

const ended = (hold: ActiveHold, now: EpochMs, spreadMs: number): PastHold => {
  const { until = now, by: _by, reason: _reason, ...scope } = hold;
  return { ...scope, to: Math.max(scope.from, Math.min(until, now)), spreadMs };
};

/** The holds that have ended, without those that are too old or too many. */
const kept = (past: readonly PastHold[], now: EpochMs): readonly PastHold[] =>
  past
    .filter(({ to }) => now - to < PAST_MS)
    .toSorted((a, b) => a.to - b.to || byText(a.uid, b.uid))
    .slice(-MOST_HOLDS);

/** Holds that are being deleted have ended: a finalizer keeps the object, not the hold. */
const standing = (holds: readonly Hold[], before: HoldBook, now: EpochMs): readonly ActiveHold[] => {
  const since = new Map(before.active.map(({ uid, from }) => [uid, from]));
  const gone = new Set(before.past.map(({ uid }) => uid));
  return holds
    .filter(({ metadata }) => metadata.deletionTimestamp === undefined && !gone.has(metadata.uid ?? ''))
    .map((hold) => activeOf(hold, since.get(hold.metadata.uid ?? '') ?? now))
    .filter((hold) => isStanding(hold, now))
    .toSorted((a, b) => a.from - b.from || byText(a.name, b.name))
    .slice(0, MOST_HOLDS);
};

/**
 * The book that follows from these Hold objects at `now` (ms); the same object if nothing changes. What has waited for a hold that ends begins within
 * `spreadMs`; without it no hold ends: one whose object is gone stays until a caller says how long that takes.
 */
export const nextBook = (
  before: HoldBook,
  holds: readonly Hold[],
  now: EpochMs,
  spreadMs?: number,
): HoldBook => {
  const active = standing(holds, before, now);
  const uids = new Set(active.map(({ uid }) => uid));
  const gone = before.active.filter(({ uid }) => !uids.has(uid));
  const next =
    spreadMs === undefined
      ? { active: [...gone, ...active], past: before.past }
      : { active, past: kept([...before.past, ...gone.map((one) => ended(one, now, spreadMs))], now) };
  const isSame = deepEqual(next.active, before.active) && deepEqual(next.past, before.past);
  return isSame ? before : { v: BOOK_VERSION, epoch: before.epoch + 1, ...next };
};
