import type { Clock } from '../../shared/ports/process/clock.ts';
import type { EventRecorder } from '../../shared/ports/process/event-recorder.ts';
import type { WorkQueues } from '../../shared/ports/process/work-queue.ts';
import type { ObjectStore } from '../../shared/ports/store/object-store.ts';
import type { OwnerEdgeStore } from '../../shared/ports/store/owner-edges.ts';
import type { ObjectKey } from '../../shared/ports/store/rows.ts';
import type { ObjectWriter } from '../../shared/store/writer/object-writer.ts';

/** What the garbage collector asks for. */
export interface CollectorDeps {
  readonly clock: Pick<Clock, 'now'>;
  readonly objects: Pick<ObjectStore, 'lag' | 'read' | 'page'>;
  readonly ownerEdges: OwnerEdgeStore;
  readonly queues: WorkQueues;
  readonly writer: ObjectWriter;
  readonly recorder: EventRecorder;
}

/** What a run did. */
export interface CollectorReport {
  /** Objects that were deleted, or whose deletion has begun. */
  readonly deleted: number;
  /** Objects from which references to absent owners were removed. */
  readonly cut: number;
  /** Objects whose owner went and left them. */
  readonly orphaned: number;
  /** Owners that waited for their dependents and do not any more. */
  readonly finished: number;
  /** Objects that could not be looked at. Each is queued again, on its own. */
  readonly failed: number;
}

export const NOTHING_DONE: CollectorReport = { deleted: 0, cut: 0, orphaned: 0, finished: 0, failed: 0 };

/** The sums of some reports. */
export const sumOf = (reports: readonly CollectorReport[]): CollectorReport =>
  reports.reduce(
    (sum, one) => ({
      deleted: sum.deleted + one.deleted,
      cut: sum.cut + one.cut,
      orphaned: sum.orphaned + one.orphaned,
      finished: sum.finished + one.finished,
      failed: sum.failed + one.failed,
    }),
    NOTHING_DONE,
  );

export const keyIn = ({ resource, namespace, name }: ObjectKey): ObjectKey => ({ resource, namespace, name });
