/** Makes the book follow from the Holds, and wakes what has waited for those that have ended. */

import type { Hold } from '../../shared/kube/types/hold.ts';
import type { EpochMs } from '../../shared/kube/values/time.ts';
import type { Clock } from '../../shared/ports/process/clock.ts';
import type { EventRecorder } from '../../shared/ports/process/event-recorder.ts';
import type { IdSource } from '../../shared/ports/process/id-source.ts';
import type { WorkQueues } from '../../shared/ports/process/work-queue.ts';
import type { ControlStore } from '../../shared/ports/store/control-store.ts';
import type { ObjectStore } from '../../shared/ports/store/object-store.ts';
import { covers, isInZones, targetOf as nodeTargetOf } from '../../shared/rules/holds/held-by.ts';
import type { HoldBook, HoldScope } from '../../shared/rules/holds/hold-book.ts';
import { HOLDS, type SettledHolds, settleHolds } from '../../shared/store/holds/settle-holds.ts';
import { createLister } from '../../shared/store/lists/lists.ts';
import { rowsIn } from '../../shared/store/lists/row-pages.ts';
import { inParallel } from '../../shared/store/turns/in-parallel.ts';
import { readBook } from '../../shared/store/writer/known-holds.ts';
import type { ObjectWriter } from '../../shared/store/writer/object-writer.ts';
import type { ControllerConfig } from '../contract/controller.ts';
import { holdEnded, holdInForce } from './events.ts';
import { spreadOf, wake } from './wake.ts';

/** Events that are recorded at the same time. */
const AT_ONCE = 8;

/** What the controller asks for. */
export interface HoldControllerDeps {
  readonly clock: Clock;
  readonly ids: IdSource;
  readonly objects: ObjectStore;
  readonly control: Pick<ControlStore, 'holdBook' | 'replaceHoldBook' | 'sightings'>;
  readonly queues: WorkQueues;
  readonly writer: ObjectWriter;
  readonly recorder: EventRecorder;
  readonly config: Pick<ControllerConfig, 'nodeEvictionRate'>;
}

/** What a look has led to. */
export interface HoldReport {
  /** Holds in the book. */
  readonly active: number;
  readonly begun: number;
  readonly ended: number;
  /** Milliseconds since the oldest of them began; 0 without one. */
  readonly oldestMs: number;
}

const oldestMs = ({ active }: HoldBook, now: EpochMs): number =>
  Math.max(0, ...active.map(({ from }) => now - from));

const targetOf = ({ name, uid }: Pick<HoldScope, 'name' | 'uid'>) =>
  ({ kind: 'Hold', namespace: '', name, uid }) as const;

const tell = async ({ recorder }: HoldControllerDeps, { begun, ended }: SettledHolds): Promise<void> => {
  await inParallel(begun, AT_ONCE, (hold) => {
    const { name, uid = '' } = hold.metadata;
    return recorder.record(targetOf({ name, uid }), holdInForce(hold), uid);
  });
  await inParallel(ended, AT_ONCE, (hold) => recorder.record(targetOf(hold), holdEnded(hold.name), hold.uid));
};

/** How many nodes a Hold is about. Labels are not in the index: with a selector all Nodes are read. */
const countHeld = async (
  { objects }: Pick<HoldControllerDeps, 'objects'>,
  { spec = {} }: Hold,
): Promise<number> => {
  let count = 0;
  if (spec.nodeSelector) {
    for await (const { object } of rowsIn(objects, 'nodes', ''))
      if (covers(spec, nodeTargetOf(object))) count += 1;
    return count;
  }
  for await (const { value } of objects.nodeHealth())
    count += value.filter((row) => isInZones(spec.zones, row.zone)).length;
  return count;
};

/** Looks at all Holds. Throws if something could not be read or written; the message is then delivered again. */
export const reconcile = async (deps: HoldControllerDeps): Promise<HoldReport> => {
  const lister = createLister(deps);
  const settled = await settleHolds({ ...deps, lister }, await spreadOf(deps), (hold) =>
    countHeld(deps, hold),
  );
  const { book, begun, ended } = settled;
  await tell(deps, settled);
  if (ended.length > 0) await wake(deps, ended);
  return {
    active: book.active.length,
    begun: begun.length,
    ended: ended.length,
    oldestMs: oldestMs(book, deps.clock.now()),
  };
};

/** The same, where there are Holds, or some stand in the book. */
export const sweep = async (deps: HoldControllerDeps): Promise<HoldReport | undefined> => {
  if (!deps.objects.mayHave(HOLDS)) return undefined;
  const { active } = await readBook(deps);
  const { rows } = await deps.objects.page({ resource: HOLDS, namespace: '', limit: 1 });
  return active.length + rows.length === 0 ? undefined : reconcile(deps);
};
