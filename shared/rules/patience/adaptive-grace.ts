/** A grace period of its own for each node, by the silences that it has survived. V-80, V-83. */
import type { EpochMs } from '../../kube/values/time.ts';

/** The longest silence that a node has ended by a beat. */
export interface Patience {
  readonly silentMs: number;
  /** When that beat was received (ms, our clock). */
  readonly learnedAt: EpochMs;
}

/** Between which lengths (ms) the grace period of a node adapts to its silences. */
export interface GraceRange {
  readonly floorMs: number;
  readonly ceilingMs: number;
}

/** A silence counts for half as much each time that this is over. */
const HALVED_EACH_MS = 24 * 3_600_000;
const SILENCES = 1.5;
const MARGIN_MS = 10_000;
/** A younger node has not shown yet how it beats. */
const KNOWN_AFTER_MS = 3_600_000;

/**
 * The range for a node that beats each `intervalMs`: each beat ends a silence of that length, so a shorter floor would find living nodes silent before
 * they have shown how they beat. V-83.
 */
export const rangeFor = ({ floorMs, ceilingMs }: GraceRange, intervalMs: number): GraceRange => ({
  floorMs: Math.min(ceilingMs, Math.max(floorMs, SILENCES * intervalMs + MARGIN_MS)),
  ceilingMs,
});

/** For what the longest survived silence counts at `at`, ms; 0: the node has ended none. */
export const rememberedMs = (patience: Patience | undefined, at: EpochMs): number =>
  patience ? patience.silentMs * 0.5 ** (Math.max(0, at - patience.learnedAt) / HALVED_EACH_MS) : 0;

/** The grace period (ms) that a node has learned, for a silence that begins at `at`. V-80. */
export const learnedGraceMs = (
  { floorMs, ceilingMs }: GraceRange,
  patience: Patience | undefined,
  at: EpochMs,
): number => {
  const wantedMs = SILENCES * rememberedMs(patience, at) + MARGIN_MS;
  return Math.min(ceilingMs, Math.max(floorMs, Math.ceil(wantedMs)));
};

/**
 * The grace period (ms) of a silence that began at `aliveAt`: it depends on that instant alone, so no later pass of the same silence judges by a shorter
 * one. `fixedMs`: that of a node without a range, which a node younger than an hour has at least. V-83.
 */
export const adaptiveGraceMs = (
  range: GraceRange,
  fixedMs: number,
  patience: Patience | undefined,
  { createdAt }: { readonly createdAt: EpochMs },
  aliveAt: EpochMs,
): number => {
  const learnedMs = learnedGraceMs(range, patience, aliveAt);
  if (aliveAt - createdAt >= KNOWN_AFTER_MS) return learnedMs;
  return Math.min(range.ceilingMs, Math.max(learnedMs, fixedMs));
};

/** The silence (ms) that a grace period (ms) is for. */
export const silenceFor = (graceMs: number): number => Math.max(0, graceMs - MARGIN_MS) / SILENCES;

/** A silence is stored only if it lengthens the grace period by more than this (ms). */
const LENGTHENS_BY_MS = 2_000;

/** What a node has learned by a silence (ms) that it ended at `endedAt`; `undefined`: its grace period would hardly be longer. V-81. */
export const patienceAfter = (
  range: GraceRange,
  known: Patience | undefined,
  silentMs: number,
  endedAt: EpochMs,
): Patience | undefined => {
  const next = { silentMs: Math.round(silentMs), learnedAt: endedAt };
  const byMs = learnedGraceMs(range, next, endedAt) - learnedGraceMs(range, known, endedAt);
  return byMs > LENGTHENS_BY_MS ? next : undefined;
};

/**
 * From when (ms) passes have to watch a node that was last heard at `aliveAt`: if it beats later, it has learned something. Never later than the end of
 * the shortest grace period that it may have.
 */
export const watchedFrom = (range: GraceRange, patience: Patience | undefined, aliveAt: EpochMs): EpochMs => {
  const graceMs = learnedGraceMs(range, patience, aliveAt);
  const longerMs = graceMs + LENGTHENS_BY_MS;
  if (longerMs >= range.ceilingMs) return aliveAt + graceMs;
  return aliveAt + Math.min(graceMs, silenceFor(longerMs));
};
