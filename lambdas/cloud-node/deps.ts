import type { CloudProvider } from '../../shared/ports/outside/cloud-provider.ts';
import type { Fencing } from '../../shared/ports/outside/fencing.ts';
import type { Clock } from '../../shared/ports/process/clock.ts';
import type { EventRecorder } from '../../shared/ports/process/event-recorder.ts';
import type { IdSource } from '../../shared/ports/process/id-source.ts';
import type { WorkQueues } from '../../shared/ports/process/work-queue.ts';
import type { ControlStore } from '../../shared/ports/store/control-store.ts';
import type { ObjectStore } from '../../shared/ports/store/object-store.ts';
import type { OwnerTurnStore } from '../../shared/ports/store/owner-turns.ts';
import type { DestroyingWriter } from '../../shared/store/writer/destruction.ts';
import type { KnownHolds } from '../../shared/store/writer/known-holds.ts';
import type { ControllerConfig } from '../contract/controller.ts';

/** What cloud-node asks for. */
export interface CloudNodeDeps {
  readonly clock: Clock;
  readonly objects: Pick<ObjectStore, 'read' | 'nodeHealth' | 'podsByNode' | 'lag'>;
  readonly control: Pick<ControlStore, 'sighting' | 'sightings' | 'replaceSighting'>;
  readonly ownerTurns: OwnerTurnStore;
  readonly ids: IdSource;
  readonly queues: WorkQueues;
  readonly writer: DestroyingWriter;
  readonly holds: KnownHolds;
  readonly recorder: EventRecorder;
  /** Absent: no provider is configured. */
  readonly cloud?: CloudProvider;
  /** Absent: nobody can switch machines off. */
  readonly fencing?: Fencing;
  readonly config: Pick<ControllerConfig, 'outOfService' | 'maintenanceLeadMs'>;
}

/** What a message has led to, in numbers of Nodes. */
export interface LookReport {
  readonly deleted: number;
  readonly initialised: number;
  /** Nodes that are drained because their machines are going to leave. */
  readonly drained: number;
  /** Nodes that got the taint `out-of-service` because of a proof. */
  readonly proven: number;
  /** Requests to switch a machine off that failed. */
  readonly unfenced: number;
  /** Nodes that would be deleted if the provider that does not find their machines were trusted. */
  readonly distrusted: number;
  /** Nodes about which the provider could not answer. */
  readonly unanswered: number;
  /** The error of a provider, or of a fencing service, that could not answer. */
  readonly error?: unknown;
}

export const NOTHING: LookReport = {
  deleted: 0,
  initialised: 0,
  drained: 0,
  proven: 0,
  unfenced: 0,
  distrusted: 0,
  unanswered: 0,
};
