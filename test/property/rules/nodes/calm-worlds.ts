// Random small fleets whose Nodes change, whose machines fall silent, and whose ticks come late, twice or not at all.
import type { GraceRange, Patience } from '../../../../shared/rules/patience/adaptive-grace.ts';
import { NODE_LIFECYCLE_DEFAULTS } from '../../../../shared/settings/node-lifecycle.ts';

const PERIOD = NODE_LIFECYCLE_DEFAULTS.nodeMonitorPeriodMs;
const START = 1_700_000_000_000;
const LENGTH = 600_000;

/** A change of a Node: it takes its number at `at`, and an index shows it from `seenAt` on. */
export interface Change {
  readonly at: number;
  readonly seenAt: number;
  readonly becomes: 'new' | 'gone' | 'True' | 'False';
}

/** How the grace period of a node adapts, what it has learned, and how old it was when it first changed, ms. */
export interface Adaptive extends GraceRange {
  readonly patience?: Patience;
  readonly ageMs: number;
}

export interface ModelNode {
  /** Absent: its grace period is the fixed one. */
  readonly adaptive?: Adaptive;
  readonly changes: readonly Change[];
  readonly beats: readonly number[];
}

/** A tick comes, early, late, or a second time. */
export interface Delivery {
  readonly tick: number;
  readonly comesAt: number;
  readonly crashes: boolean;
}

export interface World {
  readonly nodes: readonly ModelNode[];
  readonly deliveries: readonly Delivery[];
}

/** A random number below 1 at each call (mulberry32). */
const createChance = (seed: number): (() => number) => {
  let state = seed | 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
};

const beatsOf = (chance: () => number): readonly number[] => {
  const gaps = Array.from({ length: Math.floor(chance() * 3) }, () => {
    const from = START + chance() * LENGTH;
    return { from, to: from + 20_000 + chance() * 150_000 };
  });
  const beats: number[] = [];
  for (let at = START - chance() * 10_000; at < START + LENGTH; at += 10_000 + chance() * 1_000)
    if (!gaps.some(({ from, to }) => at >= from && at < to)) beats.push(at);
  return beats;
};

/** Some nodes become an hour old meanwhile, so that their floor holds from then on. */
const adaptiveOf = (chance: () => number): { readonly adaptive?: Adaptive } => {
  if (chance() < 0.5) return {};
  const floorMs = 10_000 + chance() * 50_000;
  const ceilingMs = floorMs + chance() * 100_000;
  const ageMs = 3_600_000 - chance() * LENGTH;
  const patience = { silentMs: Math.round(chance() * 120_000), learnedAt: START - chance() * 100_000_000 };
  return { adaptive: { floorMs, ceilingMs, ageMs, ...(chance() < 0.5 ? { patience } : {}) } };
};

/** At the earliest a second after its number a change is seen: a tick asks up to a second before its instant, and does not see later numbers. */
const seenAfter = (chance: () => number, slowestMs: number): number =>
  1_000 + chance() * (chance() < 0.5 ? 500 : slowestMs - 1_000);

const changesOf = (chance: () => number, slowestMs: number): readonly Change[] => {
  const bornAt = chance() < 0.7 ? START - 60_000 : START + chance() * LENGTH;
  const changes: Change[] = [{ at: bornAt, seenAt: bornAt + seenAfter(chance, slowestMs), becomes: 'new' }];
  for (let left = Math.floor(chance() * 4); left > 0; left -= 1) {
    const before = changes.at(-1);
    if (!before || before.becomes === 'gone') break;
    const at = Math.max(before.seenAt, START) + chance() * 200_000;
    const becomes = (['False', 'True', 'gone'] as const)[Math.floor(chance() * 3)] ?? 'gone';
    changes.push({ at, seenAt: at + seenAfter(chance, slowestMs), becomes });
  }
  return changes;
};

const comesAt = (chance: () => number, tick: number): number =>
  chance() < 0.8 ? tick - chance() * 1_000 : tick + chance() * 8_000;

/**
 * Crashes are of passes that begin at their instants, and half a minute apart. Others would shift passes against each other: where a pass is left out,
 * a crash hits the next one, which finds no lease of a crashed one before it.
 */
const deliveriesOf = (chance: () => number): readonly Delivery[] => {
  const deliveries: Delivery[] = [];
  let crashedAt = 0;
  for (let tick = START; tick < START + LENGTH; tick += PERIOD) {
    const mayCrash = tick - crashedAt > 30_000 && chance() < 0.1;
    if (mayCrash) crashedAt = tick;
    const comes = [chance() > 0.1, chance() < 0.2].flatMap((does) => (does ? [comesAt(chance, tick)] : []));
    for (const at of comes) deliveries.push({ tick, comesAt: at, crashes: mayCrash && at <= tick });
  }
  return deliveries;
};

/** `slowestMs`: from the number of a change until all see it. */
export const aWorld = (seed: number, slowestMs: number): World => {
  const chance = createChance(seed);
  const count = 1 + Math.floor(chance() * 4);
  return {
    nodes: Array.from({ length: count }, () => ({
      changes: changesOf(chance, slowestMs),
      beats: beatsOf(chance),
      ...adaptiveOf(chance),
    })),
    deliveries: deliveriesOf(chance),
  };
};
