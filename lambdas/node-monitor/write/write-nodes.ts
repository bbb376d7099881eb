import type { EpochMs } from '../../../shared/kube/values/time.ts';
import type { Clock } from '../../../shared/ports/process/clock.ts';
import { inParallel } from '../../../shared/store/turns/in-parallel.ts';
import type { Judgement, Viewpoint } from '../judge/judgement.ts';
import { needsWrite, urgencyOf } from '../judge/judgement.ts';
import { mapInSlices, type Pause } from '../judge/slices.ts';
import type { NodeOutcome, WriteNodeDeps } from './write-node.ts';
import { writeCandidate } from './write-node.ts';

/** Outcomes by node name, of the nodes that needed a write and were tried. */
export type Outcomes = ReadonlyMap<string, NodeOutcome>;

export interface ReconcileDeps extends WriteNodeDeps {
  readonly clock: Clock;
  readonly pause?: Pause;
}

/** Nodes that are taken together, for each that is written at the same time: few of them wait for the last ones. */
const TAKEN_AHEAD = 8;

/** The nodes that need a write, in parts, most urgent first: groups of equal urgency are sorted, because in an outage these are all nodes. */
const byUrgencyInParts = async (
  fleet: readonly Judgement[],
  size: number,
  pause: Pause | undefined,
): Promise<{ readonly count: number; parts(): Iterable<readonly Judgement[]> }> => {
  const groups = new Map<number, Judgement[]>();
  let count = 0;
  const add = (judged: Judgement): void => {
    if (!needsWrite(judged)) return;
    count += 1;
    const silentMs = urgencyOf(judged);
    const equal = groups.get(silentMs);
    if (equal) equal.push(judged);
    else groups.set(silentMs, [judged]);
  };
  await mapInSlices(fleet, add, pause);
  const order = Float64Array.from(groups.keys()).sort().reverse();
  return {
    count,
    *parts() {
      let part: Judgement[] = [];
      for (const silentMs of order)
        for (const judged of groups.get(silentMs) ?? []) {
          part.push(judged);
          if (part.length < size) continue;
          yield part;
          part = [];
        }
      yield part;
    },
  };
};

/** Writes the nodes that need it, most urgent first. Starts no write at or after `until` (ms); `postponed` counts those that are left then. */
export const writeNodes = async (
  deps: ReconcileDeps,
  fleet: readonly Judgement[],
  view: Viewpoint,
  { until, concurrency }: { readonly until: EpochMs; readonly concurrency: number },
): Promise<{ readonly outcomes: Outcomes; readonly postponed: number }> => {
  const isLate = (): boolean => deps.clock.now() >= until;
  const outcomes = new Map<string, NodeOutcome>();
  const { count, parts } = await byUrgencyInParts(fleet, concurrency * TAKEN_AHEAD, deps.pause);
  for (const part of parts()) {
    if (isLate()) break;
    await inParallel(part, concurrency, async ({ row: { name } }) => {
      if (!isLate()) outcomes.set(name, await writeCandidate(deps, name, view));
    });
  }
  return { outcomes, postponed: count - outcomes.size };
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
