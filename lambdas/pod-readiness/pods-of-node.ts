/** Changes the pods of one node, in parts, for as long as a run may take. */
import type { EpochMs } from '../../shared/kube/values/time.ts';
import type { LiveRow } from '../../shared/ports/store/rows.ts';
import { inParallel } from '../../shared/store/turns/in-parallel.ts';

/** Pods of one part; the clock is read after each part. */
const TOGETHER = 200;

/** How many pods were changed: 0 or 1. `again`: it has to be decided anew. */
export type Tried = number | 'again' | { readonly error: unknown };

/** What came of the pods of a node. `isCut`: some pods are left. */
export interface Changed {
  readonly outcomes: readonly Tried[];
  readonly isCut: boolean;
}

export const NOTHING_CHANGED: Changed = { outcomes: [], isCut: false };

/** The pods of a node could not be looked at. */
export const failed = (error: unknown): Changed => ({ outcomes: [{ error }], isCut: false });

/** Changes the pods; after the first part, starts none at or after `until` (ms). */
export const changeUntil = async (
  clock: { now(): EpochMs },
  pods: readonly LiveRow[],
  atOnce: number,
  until: EpochMs,
  change: (pod: LiveRow) => Promise<number | 'again'>,
): Promise<Changed> => {
  const outcomes: Tried[] = [];
  for (let from = 0; from < pods.length; from += TOGETHER) {
    if (from > 0 && clock.now() >= until) return { outcomes, isCut: true };
    const part = await inParallel(pods.slice(from, from + TOGETHER), atOnce, (pod) =>
      change(pod).catch((error: unknown) => ({ error })),
    );
    outcomes.push(...part);
  }
  return { outcomes, isCut: outcomes.includes('again') };
};

/** The number of pods that were changed. Throws if one could not be: only now, after all others were tried. */
export const countOf = (outcomes: readonly Tried[]): number => {
  const failed = outcomes.find((outcome) => typeof outcome === 'object');
  if (failed) throw failed.error; // The message is delivered again.
  return outcomes.filter((outcome) => outcome === 1).length;
};
