import type { WorkQueues } from '../../shared/ports/process/work-queue.ts';
import type { ObjectStore } from '../../shared/ports/store/object-store.ts';
import { type LiveRow, liveRow, nodeKey } from '../../shared/ports/store/rows.ts';
import type { NodeHealthRow } from '../../shared/rules/nodes/node-health.ts';
import { inParallel } from '../../shared/store/turns/in-parallel.ts';
import type { ResyncedNode } from '../contract/controller.ts';
import { ROUTED_CONTROLLERS } from '../controllers.ts';

/** Nodes read at the same time. */
const CONCURRENCY = 16;

export interface ResyncDeps {
  readonly objects: Pick<ObjectStore, 'nodeHealth' | 'read'>;
  readonly queues: WorkQueues;
}

export interface ResyncReport {
  /** Nodes in the index. */
  readonly nodes: number;
  /** Messages that were sent. */
  readonly messages: number;
}

const readNode = async ({ objects }: ResyncDeps, name: string): Promise<LiveRow | undefined> =>
  liveRow(await objects.read(nodeKey(name)));

const resynced = (deps: ResyncDeps, health: NodeHealthRow): ResyncedNode => ({
  health,
  read: () => readNode(deps, health.name),
});

/** Sends the messages of a page to all queues that have not failed, and notes those that fail: each would take its time for each page. Returns how many were sent. */
const sendPage = async (
  deps: ResyncDeps,
  page: readonly ResyncedNode[],
  failures: Map<string, unknown>,
): Promise<number> => {
  let sent = 0;
  for (const { queue, resync: messagesOf } of ROUTED_CONTROLLERS) {
    if (failures.has(queue)) continue;
    const messages = (await inParallel(page, CONCURRENCY, messagesOf)).flat();
    if (messages.length === 0) continue;
    try {
      await deps.queues.send(queue, messages);
      sent += messages.length;
    } catch (error) {
      failures.set(queue, error);
    }
  }
  return sent;
};

/**
 * Sends the messages for every node as if it had just changed. This makes up for changes that the stream lost. Rejects at the end if a
 * queue failed, after the others have all their messages.
 */
export const resync = async (deps: ResyncDeps): Promise<ResyncReport> => {
  let [nodes, messages] = [0, 0];
  const failures = new Map<string, unknown>();
  for await (const { value } of deps.objects.nodeHealth()) {
    nodes += value.length;
    const page = value.map((health) => resynced(deps, health));
    messages += await sendPage(deps, page, failures);
  }
  if (failures.size > 0)
    throw new AggregateError(
      failures.values(),
      `messages are lost of the queues ${[...failures.keys()].join(', ')}`,
    );
  return { nodes, messages };
};
