import { controllerOf } from '../../shared/domain/pods/disruption-budget.ts';
import { isNewOrphan } from '../../shared/domain/workloads/pod-relevance.ts';
import type { ObjectStore, Page } from '../../shared/ports/object-store.ts';
import type { LiveRow } from '../../shared/ports/rows.ts';
import type { WorkQueues } from '../../shared/ports/work-queue.ts';
import { podOf } from '../step.ts';
import type { ReplicaSetMessage } from './message.ts';
import { REPLICA_SET_QUEUE } from './queue.ts';

/** Rows of one page. */
const PAGE_ROWS = 500;

export interface ResyncDeps {
  readonly objects: Pick<ObjectStore, 'page'>;
  readonly queues: WorkQueues;
}

const messageOf = (kind: ReplicaSetMessage['kind'], { key, uid }: LiveRow): ReplicaSetMessage => ({
  v: 1,
  kind,
  namespace: key.namespace,
  name: key.name,
  uid,
});

const isOrphan = (row: LiveRow): boolean => {
  const pod = podOf(row);
  return pod !== undefined && !controllerOf(pod) && isNewOrphan(undefined, pod);
};

const sendPages = async (
  { objects, queues }: ResyncDeps,
  resource: string,
  messagesOf: (rows: Page['rows']) => readonly ReplicaSetMessage[],
): Promise<void> => {
  for (let after: string | undefined; ; ) {
    const from = after === undefined ? {} : { after };
    const { rows, next } = await objects.page({ resource, namespace: '', limit: PAGE_ROWS, ...from });
    const messages = messagesOf(rows).map((body) => ({ body }));
    if (messages.length > 0) await queues.send(REPLICA_SET_QUEUE.name, messages);
    if (next === undefined) return;
    after = next;
  }
};

/** Queues every ReplicaSet, and every pod without controller. This makes up for changes and messages that were lost. */
export const resync = async (deps: ResyncDeps): Promise<undefined> => {
  await sendPages(deps, 'replicasets', (rows) => rows.map((row) => messageOf('owner', row)));
  await sendPages(deps, 'pods', (rows) => rows.filter(isOrphan).map((row) => messageOf('orphan', row)));
  return undefined;
};
