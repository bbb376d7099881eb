import type { EpochMs } from '../../shared/kube/values/time.ts';
import type { Clock } from '../../shared/ports/process/clock.ts';
import type { ControlStore, PassAndCounter, PassRecord } from '../../shared/ports/store/control-store.ts';
import type { ObjectStore } from '../../shared/ports/store/object-store.ts';
import { believedUntil, isIdle } from '../../shared/rules/nodes/calm.ts';
import { type LastPass, lagOf } from '../../shared/rules/zones/monitor-lag.ts';
import type { TicksReport } from './report.ts';
import { enqueueTicks, enqueueTicksOnce, type TicksOnceDeps } from './ticks.ts';

interface LagDeps {
  readonly objects: Pick<ObjectStore, 'nodeHealth'>;
}

/** The last pass; while none is needed after it, as if it had begun now. */
const lastPassOf = (pass: PassRecord | undefined, now: EpochMs): LastPass | undefined => {
  const { completedAt, completedNodes: nodes = 0 } = pass ?? {};
  if (!pass || completedAt === undefined) return undefined;
  if (completedAt > now) return { at: completedAt, nodes };
  return { at: Math.max(completedAt, Math.min(believedUntil(pass, now), now)), nodes };
};

/** When the oldest node was created of the first page that has one: all are there, or one is enough. `undefined`: there is no node. */
const oldestNode = async ({ objects }: LagDeps): Promise<EpochMs | undefined> => {
  for await (const { value } of objects.nodeHealth())
    if (value.length > 0) return Math.min(...value.map(({ createdAt }) => createdAt));
  return undefined;
};

/**
 * How long (ms) no health pass has come to its end; 0 if there are no nodes. `pass`: the last one. Nodes are looked for only if it has seen none, or is late.
 */
const monitorLag = async (deps: LagDeps, pass: PassRecord | undefined, now: EpochMs): Promise<number> => {
  const last = lastPassOf(pass, now);
  const known = lagOf(last, now);
  return known ?? lagOf(last, now, { oldestNode: await oldestNode(deps) }) ?? 0;
};

export interface RunTicksDeps extends TicksOnceDeps, LagDeps {
  readonly clock: Pick<Clock, 'now'>;
  readonly control: Pick<ControlStore, 'readPass' | 'readPassAndCounter' | 'noteQueued'>;
  /** See `ControllerPorts`. */
  readonly skipsCalmPasses?: boolean;
}

/** Whether there is nothing to pass over. The index is looked at, too: a commit may be slower than any should be. */
const isEmpty = async (deps: RunTicksDeps, { pass, counter }: PassAndCounter): Promise<boolean> =>
  pass !== undefined && isIdle(pass, counter) && (await oldestNode(deps)) === undefined;

/** Queues those ticks of the next two minutes that no earlier run has queued, none without nodes, and then says how far the passes are behind. */
const runOnce = async (deps: RunTicksDeps): Promise<TicksReport> => {
  const { clock, control } = deps;
  const seen = await control.readPassAndCounter();
  if (await isEmpty(deps, seen)) return { outcome: 'queued', lagMs: 0 };
  await enqueueTicksOnce(deps, seen.pass ?? {}, clock.now());
  return { outcome: 'queued', lagMs: await monitorLag(deps, seen.pass, clock.now()) };
};

/** A run of the schedule: queues the ticks of the next two minutes, and then says how far the passes are behind. */
export const runTicks = async (deps: RunTicksDeps): Promise<TicksReport> => {
  if (deps.skipsCalmPasses) return runOnce(deps);
  const { clock, control } = deps;
  await enqueueTicks(deps, clock.now());
  return { outcome: 'queued', lagMs: await monitorLag(deps, await control.readPass(), clock.now()) };
};
