/** The hourly resync of a controller of workloads. */

import type { WorkloadMessage } from '../../shared/ports/process/messages.ts';
import type { WorkQueues } from '../../shared/ports/process/work-queue.ts';
import type { ObjectStore } from '../../shared/ports/store/object-store.ts';
import type { LiveRow } from '../../shared/ports/store/rows.ts';
import { isNewOrphan } from '../../shared/rules/workloads/children/pod-relevance.ts';
import { rowsIn } from '../../shared/store/lists/row-pages.ts';

/** Messages sent together. */
const TOGETHER = 500;

/** What a resync needs. */
export interface ResyncDeps {
  readonly objects: Pick<ObjectStore, 'page'>;
  readonly queues: WorkQueues;
}

const messageOf = (kind: WorkloadMessage['kind'], { key, uid }: LiveRow): WorkloadMessage => ({
  v: 1,
  kind,
  namespace: key.namespace,
  name: key.name,
  uid,
});

/** Queues all owners, and all children that could be adopted. */
export const queueAll = async (
  { objects, queues }: ResyncDeps,
  { owners, children, queue }: { readonly owners: string; readonly children: string; readonly queue: string },
): Promise<undefined> => {
  let waiting: WorkloadMessage[] = [];
  const send = async (): Promise<void> => {
    const messages = waiting.map((body) => ({ body }));
    waiting = [];
    if (messages.length > 0) await queues.send(queue, messages);
  };
  const add = async (message: WorkloadMessage): Promise<void> => {
    waiting.push(message);
    if (waiting.length >= TOGETHER) await send();
  };
  for await (const row of rowsIn(objects, owners, '')) await add(messageOf('owner', row));
  for await (const row of rowsIn(objects, children, ''))
    if (isNewOrphan(undefined, row.object)) await add(messageOf('orphan', row));
  await send();
  return undefined;
};
