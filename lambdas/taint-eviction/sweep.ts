import type { EpochMs } from '../../shared/kube/values/time.ts';
import type { Clock } from '../../shared/ports/process/clock.ts';
import type { WorkQueues } from '../../shared/ports/process/work-queue.ts';
import type { ControlStore, PodDeadline } from '../../shared/ports/store/control-store.ts';
import type { ObjectStore } from '../../shared/ports/store/object-store.ts';
import { dueAfterHolds, heldTimeOf } from '../../shared/rules/holds/due-after-holds.ts';
import { isInZones } from '../../shared/rules/holds/held-by.ts';
import { type HoldBook, type HoldScope, isStanding } from '../../shared/rules/holds/hold-book.ts';
import type { NodeHealthRow } from '../../shared/rules/nodes/node-health.ts';
import type { KnownHolds } from '../../shared/store/writer/known-holds.ts';
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
  readonly holds: KnownHolds;
}

export interface SweepReport {
  /** Nodes queued. */
  readonly nodes: number;
  /** Deadlines overdue. */
  readonly overdue: number;
  /** How long the oldest of them has been overdue, ms; 0 if there is none. */
  readonly oldestOverdueMs: number;
}

const taintedNodes = async ({ objects }: SweepDeps): Promise<readonly NodeHealthRow[]> => {
  const rows: NodeHealthRow[] = [];
  for await (const { value } of objects.nodeHealth())
    rows.push(...value.filter(({ noExecute }) => noExecute.length > 0));
  return rows;
};

/**
 * What the book says of these nodes. Their labels are not in the index, so that a hold with a selector counts for all nodes of its zones: their
 * pods are looked at, but none of them is late.
 */
const heldIn = (book: HoldBook, rows: readonly NodeHealthRow[], now: EpochMs) => {
  const zones = new Map(rows.map(({ name, zone }) => [name, zone]));
  const applies = ({ stops, zones: some }: HoldScope, zone: string | undefined): boolean =>
    stops.includes('Tolerations') && (zone === undefined || isInZones(some, zone));
  const isHeld = ({ zone }: NodeHealthRow): boolean =>
    book.active.some((hold) => !hold.nodeSelector && isStanding(hold, now) && applies(hold, zone));
  const isLate = ({ start, fireAt, nodeName }: PodDeadline): boolean => {
    const holds = [...book.active, ...book.past].filter((hold) => applies(hold, zones.get(nodeName)));
    return dueAfterHolds(start, fireAt, holds.map(heldTimeOf)) <= now;
  };
  return { isHeld, isLate };
};

const forgotten = (overdue: readonly PodDeadline[], now: EpochMs): readonly TaintEvictionMessage[] =>
  overdue
    .filter(({ fireAt }) => now - fireAt > FORGOTTEN_MS)
    .map(({ namespace, name, uid }) => ({ v: 1, kind: 'pod', namespace, name, uid }));

const oldestOf = (overdue: readonly PodDeadline[], now: EpochMs): number =>
  overdue.reduce((oldest, { fireAt }) => Math.max(oldest, now - fireAt), 0);

/**
 * Queues every node with a NoExecute taint or an overdue deadline, so that a lost message delays an eviction by a minute at most, but none
 * whose pods a hold keeps.
 */
export const sweep = async (deps: SweepDeps): Promise<SweepReport> => {
  const now = deps.clock.now();
  const [tainted, { value: due }] = await Promise.all([taintedNodes(deps), deps.control.dueDeadlines(now)]);
  const { isHeld, isLate } = heldIn(deps.holds.book(), tainted, now);
  const overdue = due.filter(isLate);
  const free = tainted.filter((row) => !isHeld(row)).map(({ name }) => name);
  const names = [...new Set([...free, ...overdue.map(({ nodeName }) => nodeName)])];
  const nodes = names.map((name): TaintEvictionMessage => ({ v: 1, kind: 'node', name }));
  await deps.queues.send(
    TAINT_EVICTION_QUEUE.name,
    [...nodes, ...forgotten(overdue, now)].map((body) => ({ body })),
  );
  return { nodes: names.length, overdue: overdue.length, oldestOverdueMs: oldestOf(overdue, now) };
};
