import type { NodeHealthRow } from '../../shared/domain/node-health.ts';
import type { PodReadinessMessage, TaintEvictionMessage } from '../../shared/ports/messages.ts';
import type { ObjectLog } from '../../shared/ports/object-log.ts';
import type { WorkQueues } from '../../shared/ports/work-queue.ts';

export interface ResyncDeps {
  readonly log: Pick<ObjectLog, 'nodeHealth'>;
  readonly queues: WorkQueues;
}

export interface ResyncReport {
  readonly nodes: number;
}

const readinessOf = ({ name, uid, ready }: NodeHealthRow): readonly PodReadinessMessage[] =>
  ready === 'Unknown' ? [{ v: 1, kind: 'node', name, uid }] : [];

const evictionOf = ({ name, noExecute }: NodeHealthRow): readonly TaintEvictionMessage[] =>
  noExecute.length > 0 ? [{ v: 1, kind: 'node', name }] : [];

/**
 * Queues again what all nodes call for, as if each had just changed: the stream is a shortcut, not the truth. A ready node
 * without a NoExecute taint calls for nothing: deadlines that its pods may still have are found by the sweep when due.
 */
export const resync = async ({ log, queues }: ResyncDeps): Promise<ResyncReport> => {
  let nodes = 0;
  for await (const { value } of log.nodeHealth()) {
    nodes += value.length;
    const [evictions, readiness] = [value.flatMap(evictionOf), value.flatMap(readinessOf)];
    await queues.send(
      'taint-eviction',
      evictions.map((body) => ({ body })),
    );
    await queues.send(
      'pod-readiness',
      readiness.map((body) => ({ body })),
    );
  }
  return { nodes };
};
