import type { Clock } from '../../shared/ports/process/clock.ts';
import type { EventRecorder } from '../../shared/ports/process/event-recorder.ts';
import type { WorkQueues } from '../../shared/ports/process/work-queue.ts';
import type { ObjectStore } from '../../shared/ports/store/object-store.ts';
import type { ObjectWriter } from '../../shared/store/writer/object-writer.ts';

/**
 * Milliseconds after which a run starts no further part and sends the message again for the remaining pods. The run then ends
 * before its function times out, and before the host's queue delivers the message again.
 */
export const RUN_MS = 10_000;

/** What pod-readiness asks for. */
export interface PodReadinessDeps {
  readonly clock: Pick<Clock, 'now'>;
  readonly queues: WorkQueues;
  readonly objects: Pick<ObjectStore, 'read' | 'podsByNode'>;
  readonly writer: ObjectWriter;
  readonly recorder: EventRecorder;
}
