/** When machines send heartbeats. Any heartbeat can be computed without the ones before it. */
import type { EpochMs } from '../../shared/kube/values/time.ts';

/** A time in which a machine sends nothing, from `from` (inclusive) to `to` (exclusive). */
export interface Gap {
  readonly from: EpochMs;
  readonly to: EpochMs;
}

/** A time in which a share of the heartbeats is lost. The share changes linearly from `first` to `last`, both 0 to 1. */
export interface Loss extends Gap {
  readonly first: number;
  readonly last: number;
}

/** A machine sends a heartbeat each `intervalMs` from `startAt` on, each late by a random time below `jitterMs`. */
export interface Schedule {
  readonly startAt: EpochMs;
  readonly intervalMs: number;
  /** Less than the interval, so that heartbeats keep their order. */
  readonly jitterMs: number;
  readonly seed: number;
  /** Sorted, without overlaps. */
  readonly gaps: readonly Gap[];
  readonly losses: readonly Loss[];
}

/** A pseudo-random number in [0, 1) for heartbeat `index`: a hash, so that it needs no earlier heartbeats. */
const chanceOf = (seed: number, index: number, salt: number): number => {
  let mixed = Math.imul((seed ^ salt) + Math.imul(index + 1, 0x9e3779b1), 0x85ebca6b);
  mixed = Math.imul(mixed ^ (mixed >>> 15), 0xc2b2ae35);
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0x27d4eb2f);
  return ((mixed ^ (mixed >>> 16)) >>> 0) / 2 ** 32;
};

const JITTER = 0x1f3a;
const LOST = 0x7c15;

const instantOf = ({ startAt, intervalMs, jitterMs, seed }: Schedule, index: number): EpochMs =>
  startAt + index * intervalMs + (jitterMs === 0 ? 0 : Math.floor(chanceOf(seed, index, JITTER) * jitterMs));

const gapAt = ({ gaps }: Schedule, at: EpochMs): Gap | undefined =>
  gaps.find(({ from, to }) => at >= from && at < to);

const isLost = ({ losses, seed }: Schedule, index: number, at: EpochMs): boolean => {
  const loss = losses.find(({ from, to }) => at >= from && at < to);
  if (!loss) return false;
  const { from, to, first, last } = loss;
  const share = Number.isFinite(to) ? first + ((last - first) * (at - from)) / (to - from) : first;
  return chanceOf(seed, index, LOST) < share;
};

/** The last heartbeat that arrived at or before `now`; `undefined` if there is none after `after`. */
export const lastBeat = (schedule: Schedule, now: EpochMs, after: EpochMs): EpochMs | undefined => {
  const { startAt, intervalMs } = schedule;
  for (let index = Math.floor((now - startAt) / intervalMs); index >= 0; ) {
    const at = instantOf(schedule, index);
    if (at <= after) return undefined;
    const gap = at > now ? undefined : gapAt(schedule, at);
    if (at <= now && !gap && !isLost(schedule, index, at)) return at;
    // Jitter may move a heartbeat from before the gap into it, but only the last one before the gap.
    index = gap ? Math.min(index - 1, Math.floor((gap.from - startAt) / intervalMs)) : index - 1;
  }
  return undefined;
};

/** The heartbeats that arrive in (after, until], in order. */
export function* beatsBetween(schedule: Schedule, after: EpochMs, until: EpochMs): Generator<EpochMs> {
  const { startAt, intervalMs, jitterMs } = schedule;
  const first = Math.max(0, Math.floor((after - jitterMs - startAt) / intervalMs));
  for (let index = first; startAt + index * intervalMs <= until; index += 1) {
    const at = instantOf(schedule, index);
    if (at > after && at <= until && !gapAt(schedule, at) && !isLost(schedule, index, at)) yield at;
  }
}

/** Silences longer than `longerThanMs`: from one heartbeat to the next, or without `to` if none follows until `until`. */
export const silences = (
  schedule: Schedule,
  from: EpochMs,
  until: EpochMs,
  longerThanMs: number,
): readonly { readonly from: EpochMs; readonly to: EpochMs | undefined }[] => {
  const found: { from: EpochMs; to: EpochMs | undefined }[] = [];
  let last = from;
  for (const at of beatsBetween(schedule, from, until)) {
    if (at - last > longerThanMs) found.push({ from: last, to: at });
    last = at;
  }
  if (until - last > longerThanMs) found.push({ from: last, to: undefined });
  return found;
};
