import type { Clock } from '../../shared/ports/process/clock.ts';
import type { EventRecorder } from '../../shared/ports/process/event-recorder.ts';
import type { IdSource } from '../../shared/ports/process/id-source.ts';
import type { WorkQueues } from '../../shared/ports/process/work-queue.ts';
import type { CapacityStore } from '../../shared/ports/store/capacity.ts';
import type { ControlStore } from '../../shared/ports/store/control-store.ts';
import type { ObjectStore } from '../../shared/ports/store/object-store.ts';
import type { OwnerTurnStore } from '../../shared/ports/store/owner-turns.ts';
import type { DrainState } from '../../shared/rules/drain/drain-progress.ts';
import type { DestroyingWriter } from '../../shared/store/writer/destruction.ts';
import type { KnownHolds } from '../../shared/store/writer/known-holds.ts';

/** What drain asks for. */
export interface DrainDeps {
  readonly clock: Clock;
  readonly ids: IdSource;
  readonly objects: ObjectStore;
  readonly control: Pick<ControlStore, 'sighting' | 'sightings' | 'replaceSighting'>;
  readonly capacity: Pick<CapacityStore, 'allClaims'>;
  readonly ownerTurns: OwnerTurnStore;
  readonly queues: WorkQueues;
  readonly writer: DestroyingWriter;
  readonly holds: KnownHolds;
  readonly recorder: EventRecorder;
}

/** What a message has led to. */
export interface DrainReport {
  /** Looks at nodes that drain. */
  readonly looks: number;
  readonly evicted: number;
  /** Pods that were deleted without asking their budgets. */
  readonly deleted: number;
  /** Evictions that a budget refused. */
  readonly refused: number;
  readonly failed: number;
  /** An error of one of the pods that failed. */
  readonly error?: unknown;
  /** A drain that has ended with this look. */
  readonly ended?: Extract<DrainState, 'drained' | 'gaveUp'> | 'cancelled';
}

export const NOTHING: DrainReport = { looks: 0, evicted: 0, deleted: 0, refused: 0, failed: 0 };
