import { createHash } from 'node:crypto';
import type { Node } from '../../shared/kube/types/core.ts';
import type { Clock } from '../../shared/ports/process/clock.ts';
import type { EventRecorder } from '../../shared/ports/process/event-recorder.ts';
import type { IdSource } from '../../shared/ports/process/id-source.ts';
import type { WorkQueues } from '../../shared/ports/process/work-queue.ts';
import type { CapacityStore } from '../../shared/ports/store/capacity.ts';
import type { ControlStore } from '../../shared/ports/store/control-store.ts';
import type { ObjectStore } from '../../shared/ports/store/object-store.ts';
import type { OwnerTurnStore } from '../../shared/ports/store/owner-turns.ts';
import {
  goneSince,
  nodeKey,
  type ObjectKey,
  type Row,
  type RowCheck,
} from '../../shared/ports/store/rows.ts';
import type { AttachableVolume } from '../../shared/rules/attachments/attachable.ts';
import { attachmentNameOf } from '../../shared/rules/attachments/attachable.ts';
import type { DetachReason } from '../../shared/rules/attachments/detach.ts';
import type { DestroyingWriter } from '../../shared/store/writer/destruction.ts';
import type { KnownHolds } from '../../shared/store/writer/known-holds.ts';
import type { ControllerConfig } from '../contract/controller.ts';

/** What attach-detach asks for. */
export interface AttachDetachDeps {
  readonly clock: Clock;
  readonly ids: IdSource;
  readonly objects: ObjectStore;
  readonly capacity: Pick<CapacityStore, 'allClaims'>;
  readonly control: Pick<ControlStore, 'sighting' | 'sightings' | 'replaceSighting'>;
  readonly ownerTurns: OwnerTurnStore;
  readonly writer: DestroyingWriter;
  readonly holds: KnownHolds;
  readonly recorder: EventRecorder;
  readonly queues: WorkQueues;
  readonly config: Pick<ControllerConfig, 'disableForceDetachOnTimeout'>;
}

/** What a look at a node did. */
export interface AttachDetachReport {
  /** VolumeAttachments that were made. */
  attached: number;
  /** Why VolumeAttachments were deleted, each once. */
  readonly detached: DetachReason[];
  /** Pods' volumes that are at another node. */
  multiAttach: number;
}

/** The key of the VolumeAttachment with this name. */
export const attachmentKey = (name: string): ObjectKey => ({
  resource: 'volumeattachments',
  namespace: '',
  name,
});

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');

/** The name of the VolumeAttachment of a volume and a node. */
export const attachmentName = (volume: AttachableVolume, nodeName: string): string =>
  attachmentNameOf(volume, nodeName, sha256);

/** A node as a look has read it. `node`: `undefined` if it is gone. */
export interface SeenNode {
  readonly name: string;
  readonly node: Node | undefined;
  /** The row is still the one that was read. */
  readonly check: RowCheck;
}

/** The node of a row that was read. */
export const seenNode = (name: string, row: Row | undefined): SeenNode => {
  const key = nodeKey(name);
  return row?.state === 'live'
    ? { name, node: row.object, check: { key, revision: row.revision } }
    : { name, node: undefined, check: goneSince(key, row?.uid) };
};
