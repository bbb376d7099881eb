import type { EpochMs } from '../../shared/api/time.ts';
import type { Clock } from '../../shared/ports/clock.ts';
import { inParallel } from '../../shared/state/in-parallel.ts';
import type { Judgement, Viewpoint } from './judgement.ts';
import { byUrgency, needsWrite } from './judgement.ts';
import type { NodeOutcome, WriteNodeDeps } from './write-node.ts';
import { writeCandidate } from './write-node.ts';

export type CandidateOutcome = NodeOutcome | { readonly outcome: 'postponed' };

export type Outcomes = ReadonlyMap<string, CandidateOutcome>;

export interface SettleDeps extends WriteNodeDeps {
  readonly clock: Clock;
}

/** Settles what needs a write until `until` (ms), most urgent first; by node name. */
export const writeNodes = async (
  deps: SettleDeps,
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

/** The fleet as decided by the better reads: nodes that are gone are left out, so is a flip that a beat refused. */
export const afterWrites = (fleet: readonly Judgement[], outcomes: Outcomes): readonly Judgement[] => {
  if (outcomes.size === 0) return fleet;
  const settled: Judgement[] = [];
  for (const judged of fleet) {
    const outcome = outcomes.get(judged.row.name);
    if (outcome && 'judgement' in outcome) settled.push(outcome.judgement);
    else if (outcome?.outcome !== 'gone') settled.push(judged);
  }
  return settled;
};
