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

/** A kind of owner, by its plural, and the queue of its controller. */
interface Owners {
  readonly owners: string;
  readonly queue: string;
}

/** Sends messages in batches, and each only once. `end` sends the last batch. */
const createBatches = ({ queues }: Pick<ResyncDeps, 'queues'>, queue: string) => {
  const sent = new Set<string>();
  let waiting: WorkloadMessage[] = [];
  const end = async (): Promise<void> => {
    const messages = waiting.map((body) => ({ body }));
    waiting = [];
    if (messages.length > 0) await queues.send(queue, messages);
  };
  const add = async (message: WorkloadMessage): Promise<void> => {
    if (sent.has(message.uid)) return;
    sent.add(message.uid);
    waiting.push(message);
    if (waiting.length >= TOGETHER) await end();
  };
  return { add, end };
};

/** Queues all owners of a namespace. */
export const queueOwners = async (
  deps: ResyncDeps,
  { owners, queue }: Owners,
  namespace: string,
): Promise<void> => {
  const batches = createBatches(deps, queue);
  for await (const row of rowsIn(deps.objects, owners, namespace)) await batches.add(messageOf('owner', row));
  await batches.end();
};

/** Queues all owners, all children that could be adopted, and what `ofChild` says of a child. */
export const queueAll = async (
  deps: ResyncDeps,
  { owners, children, queue }: Owners & { readonly children: string },
  ofChild: (child: LiveRow) => readonly WorkloadMessage[] = () => [],
): Promise<undefined> => {
  const batches = createBatches(deps, queue);
  for await (const row of rowsIn(deps.objects, owners, '')) await batches.add(messageOf('owner', row));
  for await (const row of rowsIn(deps.objects, children, '')) {
    if (isNewOrphan(undefined, row.object)) await batches.add(messageOf('orphan', row));
    for (const message of ofChild(row)) await batches.add(message);
  }
  await batches.end();
  return undefined;
};
