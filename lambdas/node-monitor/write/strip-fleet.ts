/** What full disruption strips: the health taints of the whole fleet, because it evicts no pods. */
import type { EpochMs } from '../../../shared/kube/values/time.ts';
import type { Clock } from '../../../shared/ports/process/clock.ts';
import { isTaintedByHealth } from '../../../shared/rules/zones/health-taints.ts';
import { inParallel } from '../../../shared/store/turns/in-parallel.ts';
import type { ObjectWriter } from '../../../shared/store/writer/object-writer.ts';
import type { Judgement } from '../judge/judgement.ts';
import type { NodeError } from '../report.ts';
import { stripNode } from './write-node.ts';

/** Time (ms) for removing the taints in full disruption, even if the writes before it used up their time. */
const STRIP_MS = 1_000;

/** What the stripping needs. */
export interface StripDeps {
  readonly clock: Clock;
  readonly writer: ObjectWriter;
  readonly config: { readonly writeBudgetMs: number; readonly writeConcurrency: number };
}

/** The start of the pass (ms), and all nodes as the pass judged them. */
export interface StripView {
  readonly now: EpochMs;
  readonly fleet: readonly Judgement[];
}

/** How many nodes lost health taints, and which writes failed. */
export interface Stripped {
  readonly stripped: number;
  readonly errors: readonly NodeError[];
}

/**
 * Removes `not-ready` and `unreachable` (NoExecute) from all nodes on which the pass found them, whether the monitor or a client
 * added them.
 */
export const stripFleet = async (deps: StripDeps, { now, fleet }: StripView): Promise<Stripped> => {
  const until = Math.max(now + deps.config.writeBudgetMs, deps.clock.now() + STRIP_MS);
  const tainted = fleet.filter(({ row }) => isTaintedByHealth(row.noExecute));
  const outcomes = await inParallel(tainted, deps.config.writeConcurrency, async ({ row: { name } }) =>
    deps.clock.now() < until ? { node: name, ...(await stripNode(deps, name)) } : undefined,
  );
  return {
    stripped: outcomes.filter((outcome) => outcome?.outcome === 'stripped').length,
    errors: outcomes.flatMap((outcome) =>
      outcome?.outcome === 'failed' ? [{ node: outcome.node, error: outcome.error }] : [],
    ),
  };
};
