/** The sweep over the claims and counters of all nodes. */
import type { EpochMs } from '../../shared/kube/values/time.ts';
import type { WorkQueues } from '../../shared/ports/process/work-queue.ts';
import type { CapacitySweep, CapacitySweepStore } from '../../shared/ports/store/capacity-sweep.ts';
import type { ObjectStore } from '../../shared/ports/store/object-store.ts';
import { createParts } from './parts.ts';
import { type PartDeps, type PartReport, sweepPart } from './sweep-part.ts';
import { wakeScheduler } from './wake-scheduler.ts';

/** Milliseconds between the end of a sweep and the start of the next one. A sweep costs about 0.6 RRU per pod and 6 per node. */
const REST_MS = 60 * 60_000;
/** Milliseconds after which a turn begins no further part. The next turn goes on. */
const TURN_MS = 20_000;
/** Milliseconds after which a turn that was interrupted no longer keeps others from going on. A part takes a few seconds. */
const LEASE_MS = 90_000;

export interface SweepDeps extends PartDeps {
  readonly objects: Pick<ObjectStore, 'read' | 'page' | 'podsByNode' | 'nodeHealth' | 'lag'>;
  readonly capacitySweep: CapacitySweepStore;
  readonly queues: WorkQueues;
}

/** What a turn has done. */
export interface SweepReport extends PartReport {
  /** Whether it has ended the first clean sweep: from now on binds of ours are safe. */
  readonly isFirst: boolean;
}

const NEVER: CapacitySweep = { version: 0, leaseUntil: 0, isClean: true, isReconciled: false };

/** An instant ahead of the clock was stored before the clock was set back, so it does not count. */
const isPast = (instant: EpochMs, now: EpochMs, mostAheadMs: number): boolean =>
  instant <= now || instant > now + mostAheadMs;

const isDue = ({ position, endedAt, isReconciled }: CapacitySweep, now: EpochMs): boolean =>
  position !== undefined || !isReconciled || endedAt === undefined || isPast(endedAt + REST_MS, now, REST_MS);

/** Takes the next turn; `undefined`: nothing is due, or another turn works. */
const beginTurn = async ({ capacitySweep }: SweepDeps, now: EpochMs): Promise<CapacitySweep | undefined> => {
  const read = (await capacitySweep.read()) ?? NEVER;
  if (!isDue(read, now) || !isPast(read.leaseUntil, now, LEASE_MS)) return undefined;
  const begun = read.position === undefined ? { isClean: true, position: '' } : {};
  const turn = { ...read, ...begun, version: read.version + 1, leaseUntil: now + LEASE_MS };
  return (await capacitySweep.store(turn)) ? turn : undefined;
};

const isCleanPart = ({ left, failed }: PartReport): boolean => left === 0 && failed.length === 0;

/** The record after a part; `position` is where to go on, `undefined` at the end of the sweep. */
const afterPart = (
  { position: _position, ...turn }: CapacitySweep,
  part: PartReport,
  position: string | undefined,
  { now, isLast }: { readonly now: EpochMs; readonly isLast: boolean },
): CapacitySweep => {
  const isClean = turn.isClean && isCleanPart(part);
  const common = {
    ...turn,
    isClean,
    version: turn.version + 1,
    leaseUntil: isLast ? now : now + LEASE_MS,
  };
  if (position !== undefined) return { ...common, position };
  return { ...common, endedAt: now, isReconciled: turn.isReconciled || isClean };
};

const joined = (a: PartReport, b: PartReport): PartReport => ({
  nodes: a.nodes + b.nodes,
  released: a.released + b.released,
  left: a.left + b.left,
  repaired: [...a.repaired, ...b.repaired],
  failed: [...a.failed, ...b.failed],
});

const runTurn = async (deps: SweepDeps, begun: CapacitySweep): Promise<SweepReport> => {
  const { clock, capacitySweep } = deps;
  const until = clock.now() + TURN_MS;
  const nextPart = createParts(deps);
  let turn = begun;
  let report: PartReport = { nodes: 0, released: 0, left: 0, repaired: [], failed: [] };
  for (;;) {
    const { nodes, position } = await nextPart(turn);
    const part = await sweepPart(deps, nodes);
    report = joined(report, part);
    const now = clock.now();
    const isLast = position === undefined || now >= until;
    turn = afterPart(turn, part, position, { now, isLast });
    const isStored = await capacitySweep.store(turn);
    if (isLast || !isStored)
      return { ...report, isFirst: isStored && turn.isReconciled && !begun.isReconciled };
  }
};

/**
 * One turn of the sweep: goes through some nodes and stores where the next turn goes on. Resolves to `undefined` if nothing is due or
 * another turn works. Wakes the scheduler if there may be room, or if it may bind from now on.
 */
export const sweep = async (deps: SweepDeps): Promise<SweepReport | undefined> => {
  const begun = await beginTurn(deps, deps.clock.now());
  if (!begun) return undefined;
  const report = await runTurn(deps, begun);
  if (report.isFirst || report.released > 0 || report.repaired.length > 0) await wakeScheduler(deps);
  return report;
};
