import type { EpochMs } from '../../../shared/kube/values/time.ts';
import type { Clock } from '../../../shared/ports/process/clock.ts';
import { inParallel } from '../../../shared/store/turns/in-parallel.ts';
import type { Judgement, Viewpoint } from '../judge/judgement.ts';
import { byUrgency, needsWrite } from '../judge/judgement.ts';
import type { NodeOutcome, WriteNodeDeps } from './write-node.ts';
import { writeCandidate } from './write-node.ts';

/** `postponed`: there was no time left to write the node. */
export type CandidateOutcome = NodeOutcome | { readonly outcome: 'postponed' };

/** Outcomes by node name, of the nodes that needed a write. */
export type Outcomes = ReadonlyMap<string, CandidateOutcome>;

export interface ReconcileDeps extends WriteNodeDeps {
  readonly clock: Clock;
}

/** Writes the nodes that need it, most urgent first. Starts no write at or after `until` (ms). */
export const writeNodes = async (
  deps: ReconcileDeps,
  fleet: readonly Judgement[],
  view: Viewpoint,
  { until, concurrency }: { readonly until: EpochMs; readonly concurrency: number },
): Promise<Outcomes> => {
  const candidates = fleet.filter(needsWrite).toSorted(byUrgency);
  const outcomes = await inParallel(candidates, concurrency, async ({ row }) => {
    const isLate = deps.clock.now() >= until;
    const outcome: CandidateOutcome = isLate
      ? { outcome: 'postponed' }
      : await writeCandidate(deps, row.name, view);
    return [row.name, outcome] as const;
  });
  return new Map(outcomes);
};

/**
 * The fleet with the judgements that consistent reads gave. It leaves out nodes that are gone; a node whose flip was refused
 * keeps its Ready.
 */
export const afterWrites = (fleet: readonly Judgement[], outcomes: Outcomes): readonly Judgement[] => {
  if (outcomes.size === 0) return fleet;
  const updated: Judgement[] = [];
  for (const judged of fleet) {
    const outcome = outcomes.get(judged.row.name);
    if (outcome && 'judgement' in outcome) updated.push(outcome.judgement);
    else if (outcome?.outcome !== 'gone') updated.push(judged);
  }
  return updated;
};
