import type { EpochMs } from '../../shared/kube/values/time.ts';
import type { Clock } from '../../shared/ports/process/clock.ts';
import type { WorkQueues } from '../../shared/ports/process/work-queue.ts';
import type { ControlStore, PodDeadline } from '../../shared/ports/store/control-store.ts';
import type { ObjectStore } from '../../shared/ports/store/object-store.ts';
import type { TaintEvictionMessage } from './message.ts';
import { TAINT_EVICTION_QUEUE } from './queue.ts';

/**
 * If a deadline is overdue by more than this (ms), the sweep queues the pod too: pod or node may be gone, so that queueing the
 * node does not help.
 */
const FORGOTTEN_MS = 60_000;

export interface SweepDeps {
  readonly clock: Clock;
  readonly objects: Pick<ObjectStore, 'nodeHealth'>;
  readonly control: Pick<ControlStore, 'dueDeadlines'>;
  readonly queues: WorkQueues;
}

export interface SweepReport {
  /** Nodes queued. */
  readonly nodes: number;
  /** Deadlines overdue. */
  readonly overdue: number;
  /** How long the oldest of them has been overdue, ms; 0 if there is none. */
  readonly oldestOverdueMs: number;
}

const taintedNodes = async ({ objects }: SweepDeps): Promise<readonly string[]> => {
  const names: string[] = [];
  for await (const { value } of objects.nodeHealth())
    for (const { name, noExecute } of value) if (noExecute.length > 0) names.push(name);
  return names;
};

const forgotten = (overdue: readonly PodDeadline[], now: EpochMs): readonly TaintEvictionMessage[] =>
  overdue
    .filter(({ fireAt }) => now - fireAt > FORGOTTEN_MS)
    .map(({ namespace, name, uid }) => ({ v: 1, kind: 'pod', namespace, name, uid }));

const oldestOf = (overdue: readonly PodDeadline[], now: EpochMs): number =>
  overdue.reduce((oldest, { fireAt }) => Math.max(oldest, now - fireAt), 0);

/**
 * Queues every node with a NoExecute taint or an overdue deadline, so that a lost message delays an eviction by a minute at most.
 */
export const sweep = async (deps: SweepDeps): Promise<SweepReport> => {
  const now = deps.clock.now();
  const [tainted, { value: overdue }] = await Promise.all([
    taintedNodes(deps),
    deps.control.dueDeadlines(now),
  ]);
  const names = [...new Set([...tainted, ...overdue.map(({ nodeName }) => nodeName)])];
  const nodes = names.map((name): TaintEvictionMessage => ({ v: 1, kind: 'node', name }));
  await deps.queues.send(
    TAINT_EVICTION_QUEUE.name,
    [...nodes, ...forgotten(overdue, now)].map((body) => ({ body })),
  );
  return { nodes: names.length, overdue: overdue.length, oldestOverdueMs: oldestOf(overdue, now) };
};
