/** Silences that many nodes of a zone end together: those of their network. V-82. */
import type { EpochMs } from '../../kube/values/time.ts';

/** The ends of silences within this time (ms) count together. */
export const CROWD_MS = 30_000;
const MOST_SHARE = 0.1;
const LEAST = 3;

/**
 * Which of the silences are those of the network: more than a tenth of the `nodes` of a zone, and at least three, ended one within 30 s. `ends`: when
 * nodes of the zone ended theirs (ms), in ascending order, one for each node.
 */
export const inCrowds = (ends: readonly EpochMs[], nodes: number): readonly boolean[] => {
  const crowded = ends.map(() => false);
  let to = 0;
  let marked = 0;
  for (const [from, first] of ends.entries()) {
    while (to < ends.length && (ends[to] as EpochMs) - first <= CROWD_MS) to += 1;
    const count = to - from;
    if (count < LEAST || count <= nodes * MOST_SHARE) continue;
    crowded.fill(true, Math.max(from, marked), to);
    marked = to;
  }
  return crowded;
};
