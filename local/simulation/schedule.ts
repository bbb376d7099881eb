import type { EpochMs } from '../../shared/api/time.ts';

/** A time in which a machine sends nothing: `from` inclusive, `to` exclusive; without end it never comes back. */
export interface Gap {
  readonly from: EpochMs;
  readonly to: EpochMs;
}

/** A time in which a share of the beats gets lost on the way, growing evenly from `first` to `last`. */
export interface Loss extends Gap {
  readonly first: number;
  readonly last: number;
}

/** When a machine beats: each `intervalMs` since `startAt`, each beat late by its own chance of up to `jitterMs`. */
export interface Schedule {
  readonly startAt: EpochMs;
  readonly intervalMs: number;
  /** Less than the interval, so that beats keep their order. */
  readonly jitterMs: number;
  readonly seed: number;
  /** Sorted and apart from one another. */
  readonly gaps: readonly Gap[];
  readonly losses: readonly Loss[];
}

/** Chance of the beat `index`, in [0, 1): a hash, so that any beat can be computed without those before it. */
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

/** The newest beat that arrived at or before `now`, `undefined` where there is none after `after`. */
export const lastBeat = (schedule: Schedule, now: EpochMs, after: EpochMs): EpochMs | undefined => {
  const { startAt, intervalMs } = schedule;
  for (let index = Math.floor((now - startAt) / intervalMs); index >= 0; ) {
    const at = instantOf(schedule, index);
    if (at <= after) return undefined;
    const gap = at > now ? undefined : gapAt(schedule, at);
    if (at <= now && !gap && !isLost(schedule, index, at)) return at;
    // A beat that jitter carries into a gap may come from before it: never further than one beat a time across its edge.
    index = gap ? Math.min(index - 1, Math.floor((gap.from - startAt) / intervalMs)) : index - 1;
  }
  return undefined;
};

/** Every beat that arrives in (after, until], in order. */
export function* beatsBetween(schedule: Schedule, after: EpochMs, until: EpochMs): Generator<EpochMs> {
  const { startAt, intervalMs, jitterMs } = schedule;
  const first = Math.max(0, Math.floor((after - jitterMs - startAt) / intervalMs));
  for (let index = first; startAt + index * intervalMs <= until; index += 1) {
    const at = instantOf(schedule, index);
    if (at > after && at <= until && !gapAt(schedule, at) && !isLost(schedule, index, at)) yield at;
  }
}

/** Silences longer than `longerThanMs` until `until`: after the beat `from`, ended by the beat `to`, if any. */
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
