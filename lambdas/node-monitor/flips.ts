import { isSilencedBy } from '../../shared/domain/pod-readiness.ts';
import type { EventRecorder } from '../../shared/ports/event-recorder.ts';
import { inParallel } from '../../shared/state/in-parallel.ts';
import { nodeNotReady } from './events.ts';
import type { Outcomes } from './settle-nodes.ts';

interface FlipDeps {
  readonly recorder: EventRecorder;
  readonly config: { readonly writeConcurrency: number };
}

/** Records NodeNotReady for the nodes that this pass itself turned from True to Unknown. */
export const recordFlips = async ({ recorder, config }: FlipDeps, outcomes: Outcomes): Promise<void> => {
  const flips = [...outcomes.values()].flatMap((outcome) =>
    outcome.outcome === 'written' && isSilencedBy(outcome.judgement.row.ready, outcome.judgement.ready)
      ? [outcome]
      : [],
  );
  await inParallel(flips, config.writeConcurrency, ({ judgement: { row }, revision }) =>
    recorder.record(
      { kind: 'Node', namespace: '', name: row.name, uid: row.uid },
      nodeNotReady(row.name),
      revision,
    ),
  );
};
