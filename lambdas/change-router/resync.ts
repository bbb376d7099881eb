import type { NodeHealthRow } from '../../shared/domain/nodes/node-health.ts';
import type { PodReadinessMessage, TaintEvictionMessage } from '../../shared/ports/messages.ts';
import type { ObjectLog } from '../../shared/ports/object-log.ts';
import type { WorkQueues } from '../../shared/ports/work-queue.ts';
import { inParallel } from '../../shared/state/in-parallel.ts';

/** Nodes read at the same time. */
const CONCURRENCY = 16;

export interface ResyncDeps {
  readonly log: Pick<ObjectLog, 'nodeHealth' | 'read'>;
  readonly queues: WorkQueues;
}

export interface ResyncReport {
  readonly nodes: number;
}

/** Only the node's own row says whether the monitor silenced it, so that its pods are to be marked. */
const readinessOf = async (
  { log }: ResyncDeps,
  { name }: NodeHealthRow,
): Promise<readonly PodReadinessMessage[]> => {
  const row = await log.read({ resource: 'nodes', namespace: '', name });
  if (row?.state !== 'live' || row.facts.node?.silenced !== true) return [];
  return [{ v: 1, kind: 'node', name, uid: row.uid }];
};

const evictionOf = ({ name, noExecute }: NodeHealthRow): readonly TaintEvictionMessage[] =>
  noExecute.length > 0 ? [{ v: 1, kind: 'node', name }] : [];

/**
 * Queues again what all nodes call for, as if each had just changed: the stream is a shortcut, not the truth. A ready node
 * without a NoExecute taint calls for nothing: deadlines that its pods may still have are found by the sweep when due.
 */
export const resync = async (deps: ResyncDeps): Promise<ResyncReport> => {
  const { log, queues } = deps;
  let nodes = 0;
  for await (const { value } of log.nodeHealth()) {
    nodes += value.length;
    const evictions = value.flatMap(evictionOf);
    const unknown = value.filter(({ ready }) => ready === 'Unknown');
    const readiness = (await inParallel(unknown, CONCURRENCY, (node) => readinessOf(deps, node))).flat();
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
