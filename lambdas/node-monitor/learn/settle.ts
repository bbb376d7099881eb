/** Which survived silences were the nodes' own: known when all that ended together with them have ended. V-82. */
import type { EpochMs } from '../../../shared/kube/values/time.ts';
import type { NodeHealthRow } from '../../../shared/rules/nodes/node-health.ts';
import { silenceFor } from '../../../shared/rules/patience/adaptive-grace.ts';
import { CROWD_MS, inCrowds } from '../../../shared/rules/patience/crowd.ts';
import type { Survived } from './survived.ts';

/** Silences that ended so long ago (ms) no longer count together with any that is not settled. */
const COUNTED_MS = 3 * CROWD_MS;

/** The silences that a process has seen end. */
export interface Ended {
  /** Those that count, in no order. */
  readonly silences: readonly Survived[];
  /** Those that ended up to this instant (ms) are settled. */
  readonly settledTo: EpochMs;
}

export const NONE_ENDED: Ended = { silences: [], settledTo: 0 };

const byEnd = (a: Survived, b: Survived): number => a.endedAt - b.endedAt;

const zoneSizes = (nodes: readonly NodeHealthRow[]): ReadonlyMap<string, number> => {
  const sizes = new Map<string, number>();
  for (const { zone } of nodes) sizes.set(zone, (sizes.get(zone) ?? 0) + 1);
  return sizes;
};

/** What a node learns by a silence of its network: no more than the fixed grace period is for, so that a low floor is never worse than that. */
const shortened = (one: Survived): Survived => ({
  ...one,
  silentMs: Math.min(one.silentMs, silenceFor(one.fixedMs)),
});

/** The silences, with those of the networks of zones shortened. */
const apartFromCrowds = (
  silences: readonly Survived[],
  nodes: readonly NodeHealthRow[],
): readonly Survived[] => {
  const sizes = zoneSizes(nodes);
  return [...Map.groupBy(silences, ({ zone }) => zone)].flatMap(([zone, own]) => {
    const sorted = own.toSorted(byEnd);
    const ends = sorted.map(({ endedAt }) => endedAt);
    const crowded = inCrowds(ends, sizes.get(zone) ?? 0);
    return sorted.map((one, place) => (crowded[place] ? shortened(one) : one));
  });
};

/**
 * The silences that `nodes` have learned by, as known at `now` (ms): those of their rhythm at once, others when it is known whether they are
 * their network's. `survived`: those that this pass has seen end.
 */
export const settle = (
  ended: Ended,
  survived: readonly Survived[],
  nodes: readonly NodeHealthRow[],
  now: EpochMs,
): { readonly learned: readonly Survived[]; readonly next: Ended } => {
  const missed = survived.filter(({ isRhythm }) => !isRhythm);
  const counted = ended.silences.filter(({ endedAt }) => endedAt <= now && now - endedAt <= COUNTED_MS);
  const silences = [...counted, ...missed];
  const settledTo = now - CROWD_MS;
  // It is ahead if the clock was set back meanwhile.
  const from = Math.min(ended.settledTo, settledTo);
  const isDue = ({ endedAt }: Survived): boolean => endedAt > from && endedAt <= settledTo;
  const due = silences.some(isDue) ? apartFromCrowds(silences, nodes).filter(isDue) : [];
  const rhythm = survived.filter(({ isRhythm }) => isRhythm);
  const own = [...rhythm, ...due].filter(({ range }) => range !== undefined);
  return { learned: own, next: { silences, settledTo } };
};

/** Whether a silence of a node whose grace period adapts is not settled yet. */
export const awaits = ({ silences, settledTo }: Ended): boolean =>
  silences.some(({ range, endedAt }) => range !== undefined && endedAt > settledTo);
