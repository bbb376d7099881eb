import type { Pod } from '../../shared/api/core.ts';
import type { CapacitySweepStore } from '../../shared/ports/capacity-sweep.ts';
import type { Clock } from '../../shared/ports/clock.ts';
import type { EventRecorder } from '../../shared/ports/event-recorder.ts';
import type { IdSource } from '../../shared/ports/id-source.ts';
import type { ObjectStore } from '../../shared/ports/object-store.ts';
import type { OwnerTurnStore } from '../../shared/ports/owner-turns.ts';
import type { ObjectKey } from '../../shared/ports/rows.ts';
import type { WorkQueues } from '../../shared/ports/work-queue.ts';
import type { ObjectWriter } from '../../shared/state/object-writer.ts';

/** What the scheduler needs. */
export interface SchedulerDeps {
  readonly clock: Clock;
  readonly ids: IdSource;
  readonly objects: ObjectStore;
  readonly ownerTurns: OwnerTurnStore;
  readonly capacitySweep: Pick<CapacitySweepStore, 'read'>;
  /** It keeps claims, see `bindWithin`. */
  readonly writer: ObjectWriter;
  readonly recorder: EventRecorder;
  readonly queues: WorkQueues;
  /** The `schedulerName` of the pods to place. */
  readonly schedulerName: string;
  /** Pods that are bound, or whose status is written, at the same time; default 50. */
  readonly podsAtOnce?: number;
  /** Lets other work of the process run. Absent where there is none. */
  readonly pause?: () => Promise<void>;
}

/** The key of a pod. */
export const keyOf = ({ metadata: { namespace = '', name } }: Pod): ObjectKey => ({
  resource: 'pods',
  namespace,
  name,
});
