/** What the silence of a node is worth after absences. */
import type { EpochMs } from '../../kube/values/time.ts';
import { type Absence, lastReturn } from './absence.ts';

/** What limits for how long a silence counts. */
export interface Hearing {
  /** Silence before this instant (ms) does not count; 0: none. */
  readonly clockFloor: EpochMs;
  /** The oldest one first. Empty on AWS, where functions store beats whether a monitor runs or not. */
  readonly absences: readonly Absence[];
  /** Milliseconds between the beats of a node that says nothing else. */
  readonly intervalMs: number;
}

/** Beat intervals after a return in which a living node is heard: its next beat, and one more try. */
const DUE_INTERVALS = 2;
/** Beat intervals after a stored beat in which the next one came, if it was lost: it may be late by a half. */
const LOST_INTERVALS = 1.5;
/** Milliseconds after a return until a living node has been heard that beats each `intervalMs`. Never more than its grace period. */
export const beatsDueMs = (intervalMs: number, graceMs: number): number =>
  Math.min(DUE_INTERVALS * intervalMs, graceMs);

/** Since when (ms) silence has been heard without a break. */
export const listeningSince = ({ clockFloor, absences }: Hearing): EpochMs =>
  Math.max(clockFloor, lastReturn(absences));

/** A node that was last heard at `aliveAt`, with its grace period and the time between its beats, ms. */
export interface Silence {
  readonly aliveAt: EpochMs;
  readonly graceMs: number;
  readonly intervalMs: number;
}

/** When the node was last heard, if a crash lost the beat that followed the stored one. */
const heardAt = ({ aliveAt, graceMs, intervalMs }: Silence, absences: readonly Absence[]): EpochMs => {
  const reachMs = Math.min(LOST_INTERVALS * intervalMs, graceMs);
  let at = aliveAt;
  for (let place = absences.length - 1; place >= 0; place -= 1) {
    const { backAt, lostAt = 0 } = absences[place] as Absence;
    if (backAt <= aliveAt) break;
    if (lostAt > at && lostAt - aliveAt <= reachMs) at = lostAt;
  }
  return at;
};

/**
 * What a time of `ms` between two absences is worth, in which nothing was heard: itself, if the node had to beat in it; else less, in the
 * proportion in which it is shorter, because a living node may well have beaten before and after it.
 */
const worthOf = (ms: number, intervalMs: number): number =>
  ms >= intervalMs ? ms : Math.max(0, ms) ** 2 / intervalMs;

/** The time that is worth so much, ms. */
const timeWorth = (worthMs: number, intervalMs: number): number =>
  worthMs >= intervalMs ? worthMs : Math.sqrt(worthMs * intervalMs);

/** When (ms) a host that stays has listened to this silence for a grace period, by what the times between its absences are worth. */
const listenedAt = (
  since: EpochMs,
  { graceMs, intervalMs }: Silence,
  absences: readonly Absence[],
): EpochMs => {
  const own = absences.slice(absences.findLastIndex(({ backAt }) => backAt <= since) + 1);
  const [first] = own;
  if (!first) return since + graceMs;
  let missingMs = graceMs - Math.max(0, first.goneAt - since);
  for (let place = 1; place < own.length; place += 1) {
    const [before, next] = [own[place - 1], own[place]] as [Absence, Absence];
    missingMs -= worthOf(next.goneAt - before.backAt, intervalMs);
  }
  return Math.ceil(lastReturn(own) + timeWorth(Math.max(0, missingMs), intervalMs));
};

/**
 * Until when (ms) the silence is within the grace period. A host that was away meanwhile waits until it has listened for a grace period,
 * or until the node's next beats after the last return were due, whichever comes first; never less than a grace period.
 */
export const silenceEndsAt = (silence: Silence, absences: readonly Absence[]): EpochMs => {
  const { graceMs, intervalMs } = silence;
  const since = heardAt(silence, absences);
  const endsAt = since + graceMs;
  const last = lastReturn(absences);
  if (last <= since) return endsAt;
  const listened = listenedAt(since, silence, absences);
  return Math.max(endsAt, Math.min(listened, last + beatsDueMs(intervalMs, graceMs)));
};
