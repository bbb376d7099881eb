import type { DrainState } from '../../shared/domain/drain/drain-progress.ts';
import type { CapacityStore } from '../../shared/ports/capacity.ts';
import type { Clock } from '../../shared/ports/clock.ts';
import type { ControlStore } from '../../shared/ports/control-store.ts';
import type { EventRecorder } from '../../shared/ports/event-recorder.ts';
import type { IdSource } from '../../shared/ports/id-source.ts';
import type { ObjectStore } from '../../shared/ports/object-store.ts';
import type { OwnerTurnStore } from '../../shared/ports/owner-turns.ts';
import type { WorkQueues } from '../../shared/ports/work-queue.ts';
import type { ObjectWriter } from '../../shared/state/object-writer.ts';

/** What drain asks for. */
export interface DrainDeps {
  readonly clock: Clock;
  readonly ids: IdSource;
  readonly objects: ObjectStore;
  readonly control: Pick<ControlStore, 'sighting' | 'sightings' | 'replaceSighting'>;
  readonly capacity: Pick<CapacityStore, 'allClaims'>;
  readonly ownerTurns: OwnerTurnStore;
  readonly queues: WorkQueues;
  readonly writer: ObjectWriter;
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
