import type { PersistentVolume, PersistentVolumeClaim } from '../../shared/kube/types/storage.ts';
import type { Clock } from '../../shared/ports/process/clock.ts';
import type { EventRecorder, EventTarget } from '../../shared/ports/process/event-recorder.ts';
import type { IdSource } from '../../shared/ports/process/id-source.ts';
import type { WorkQueues } from '../../shared/ports/process/work-queue.ts';
import type { ObjectStore } from '../../shared/ports/store/object-store.ts';
import type { OwnerTurnStore } from '../../shared/ports/store/owner-turns.ts';
import type { ObjectWriter } from '../../shared/store/writer/object-writer.ts';

/** What the binder of volumes asks for. */
export interface BinderDeps {
  readonly clock: Clock;
  readonly ids: IdSource;
  readonly objects: ObjectStore;
  readonly ownerTurns: OwnerTurnStore;
  readonly writer: ObjectWriter;
  readonly recorder: EventRecorder;
  readonly queues: WorkQueues;
}

/** How many objects there are, by whether they are bound, and by class or namespace. */
export interface BindingCounts {
  readonly volumes: ReadonlyMap<string, BoundCount>;
  readonly claims: ReadonlyMap<string, BoundCount>;
}

export interface BoundCount {
  bound: number;
  unbound: number;
}

/** What a run did. */
export interface BinderReport {
  /** Claims that were bound. */
  bound: number;
  /** Objects that could not be looked at, and are looked at again. */
  readonly errors: unknown[];
  /** After the run. */
  readonly counts: BindingCounts;
}

/** The object of an Event. */
export const targetOf = (
  kind: 'PersistentVolume' | 'PersistentVolumeClaim',
  { metadata: { namespace = '', name, uid = '' } }: PersistentVolume | PersistentVolumeClaim,
): EventTarget => ({ kind, namespace, name, uid });
