import type { WorkQueues } from '../../shared/ports/process/work-queue.ts';
import type { HeartbeatStore } from '../../shared/ports/store/heartbeats.ts';
import { type LiveRow, liveRow, namespaceKey } from '../../shared/ports/store/rows.ts';
import type { CommitDeps } from '../../shared/store/commit/commit-protocol.ts';
import type { ObjectWriter } from '../../shared/store/writer/object-writer.ts';

/** What the namespace controller asks for. */
export interface NamespaceDeps extends CommitDeps {
  readonly heartbeats: Pick<HeartbeatStore, 'leasesIn' | 'deleteLease'>;
  readonly queues: WorkQueues;
  readonly writer: ObjectWriter;
}

/** What a message or a sweep did. */
export interface NamespaceReport {
  /** Objects that were deleted, or whose deletion has begun. */
  readonly deleted: number;
  /** Namespaces that were empty and let go. */
  readonly finished: number;
  /** Why objects could not be deleted. */
  readonly errors: readonly string[];
}

/** The namespace, if it is still the one with this uid and is being deleted. */
export const readGoing = async (
  { objects }: Pick<NamespaceDeps, 'objects'>,
  { name, uid }: { readonly name: string; readonly uid: string },
): Promise<LiveRow | undefined> => {
  const row = liveRow(await objects.read(namespaceKey(name)));
  return row?.uid === uid && row.object.metadata.deletionTimestamp !== undefined ? row : undefined;
};
