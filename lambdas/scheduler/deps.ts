import type { Pod } from '../../shared/kube/types/core.ts';
import type { Clock } from '../../shared/ports/process/clock.ts';
import type { EventRecorder } from '../../shared/ports/process/event-recorder.ts';
import type { IdSource } from '../../shared/ports/process/id-source.ts';
import type { WorkQueues } from '../../shared/ports/process/work-queue.ts';
import type { CapacitySweepStore } from '../../shared/ports/store/capacity-sweep.ts';
import type { ObjectStore } from '../../shared/ports/store/object-store.ts';
import type { OwnerTurnStore } from '../../shared/ports/store/owner-turns.ts';
import type { ObjectKey } from '../../shared/ports/store/rows.ts';
import type { ObjectWriter } from '../../shared/store/writer/object-writer.ts';

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
