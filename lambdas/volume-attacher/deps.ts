import type { Clock } from '../../shared/ports/clock.ts';
import type { ControlStore } from '../../shared/ports/control-store.ts';
import type { DiskCloud } from '../../shared/ports/disk-cloud.ts';
import type { IdSource } from '../../shared/ports/id-source.ts';
import type { ObjectStore } from '../../shared/ports/object-store.ts';
import type { OwnerTurnStore } from '../../shared/ports/owner-turns.ts';
import type { WorkQueues } from '../../shared/ports/work-queue.ts';
import type { ObjectWriter } from '../../shared/state/object-writer.ts';

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
