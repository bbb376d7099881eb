import type { NodeHealthRow } from '../../shared/domain/nodes/node-health.ts';
import type { ObjectLog } from '../../shared/ports/object-log.ts';
import { type LiveRow, liveRow, nodeKey } from '../../shared/ports/rows.ts';
import type { WorkQueues } from '../../shared/ports/work-queue.ts';
import { inParallel } from '../../shared/state/in-parallel.ts';
import type { ResyncedNode } from '../controller.ts';
import { ROUTED } from '../controllers.ts';

/** Nodes read at the same time. */
const CONCURRENCY = 16;

export interface ResyncDeps {
  readonly log: Pick<ObjectLog, 'nodeHealth' | 'read'>;
  readonly queues: WorkQueues;
}

export interface ResyncReport {
  readonly nodes: number;
}

const readNode = async ({ log }: ResyncDeps, name: string): Promise<LiveRow | undefined> =>
  liveRow(await log.read(nodeKey(name)));

const resynced = (deps: ResyncDeps, health: NodeHealthRow): ResyncedNode => ({
  health,
  read: () => readNode(deps, health.name),
});

/** Queues again what all nodes call for, as if each had just changed: the stream is a shortcut, not the truth. */
export const resync = async (deps: ResyncDeps): Promise<ResyncReport> => {
  let nodes = 0;
  for await (const { value } of deps.log.nodeHealth()) {
    nodes += value.length;
    const page = value.map((health) => resynced(deps, health));
    for (const { queue, resync: messagesOf } of ROUTED) {
      const messages = (await inParallel(page, CONCURRENCY, messagesOf)).flat();
      if (messages.length > 0) await deps.queues.send(queue, messages);
    }
  }
  return { nodes };
};
