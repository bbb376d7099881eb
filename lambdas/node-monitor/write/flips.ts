import type { EpochMs } from '../../../shared/kube/values/time.ts';
import type { Clock } from '../../../shared/ports/process/clock.ts';
import { type EventRecorder, nodeTarget } from '../../../shared/ports/process/event-recorder.ts';
import { isSilencedBy } from '../../../shared/rules/pods/pod-readiness.ts';
import { inParallel } from '../../../shared/store/turns/in-parallel.ts';
import { nodeNotReady } from './events.ts';
import type { Outcomes } from './write-nodes.ts';

interface FlipDeps {
  readonly clock: Clock;
  readonly recorder: EventRecorder;
  readonly config: { readonly writeConcurrency: number };
}

/**
 * Records a NodeNotReady Event for each node whose Ready this pass changed from True to Unknown, but for those of a site that is cut off
 * (`cutOff`, `name/uid`): that is one Event. Starts none after `until` (ms),
 * so that the Events of a mass outage do not exceed the function's timeout. Returns how many Events it did not record.
 */
export const recordFlips = async (
  { clock, recorder, config }: FlipDeps,
  outcomes: Outcomes,
  cutOff: ReadonlySet<string>,
  until: EpochMs,
): Promise<number> => {
  const flips = [...outcomes.values()].flatMap((outcome) =>
    outcome.outcome === 'written' &&
    isSilencedBy(outcome.judgement.row.ready, outcome.judgement.ready) &&
    !cutOff.has(`${outcome.judgement.row.name}/${outcome.judgement.row.uid}`)
      ? [outcome]
      : [],
  );
  const recorded = await inParallel(
    flips,
    config.writeConcurrency,
    async ({ judgement: { row }, revision }) => {
      if (clock.now() >= until) return false;
      await recorder.record(nodeTarget(row.name, row.uid), nodeNotReady(row.name), revision);
      return true;
    },
  );
  return recorded.filter((isRecorded) => !isRecorded).length;
};
