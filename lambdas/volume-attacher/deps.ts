import type { DiskCloud } from '../../shared/ports/outside/disk-cloud.ts';
import type { Clock } from '../../shared/ports/process/clock.ts';
import type { IdSource } from '../../shared/ports/process/id-source.ts';
import type { WorkQueues } from '../../shared/ports/process/work-queue.ts';
import type { ControlStore } from '../../shared/ports/store/control-store.ts';
import type { ObjectStore } from '../../shared/ports/store/object-store.ts';
import type { OwnerTurnStore } from '../../shared/ports/store/owner-turns.ts';
import type { ObjectWriter } from '../../shared/store/writer/object-writer.ts';

/** What the attacher asks for. */
export interface AttacherDeps {
  readonly clock: Clock;
  readonly ids: IdSource;
  readonly objects: Pick<ObjectStore, 'read' | 'page' | 'lag'>;
  readonly control: Pick<ControlStore, 'sighting' | 'sightings' | 'replaceSighting'>;
  readonly ownerTurns: OwnerTurnStore;
  readonly writer: ObjectWriter;
  readonly queues: WorkQueues;
  /** Absent: somebody else attaches. */
  readonly disks?: DiskCloud;
}

/** What a message has led to. */
export interface AttacherReport {
  /** Disks that are at their machines since then. */
  attached: number;
  /** Disks that are off their machines since then. */
  detached: number;
  /** Texts of looks that failed, or found a disk on its way for too long. */
  readonly failures: string[];
}
