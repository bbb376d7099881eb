import type { EpochMs } from '../../shared/kube/values/time.ts';
import type { Clock } from '../../shared/ports/process/clock.ts';
import type { ControlStore, PassRecord } from '../../shared/ports/store/control-store.ts';
import type { ObjectStore } from '../../shared/ports/store/object-store.ts';
import { type LastPass, lagOf } from '../../shared/rules/zones/monitor-lag.ts';
import type { TicksReport } from './report.ts';
import { enqueueTicks, type TicksDeps } from './ticks.ts';

interface LagDeps {
  readonly control: Pick<ControlStore, 'readPass'>;
  readonly objects: Pick<ObjectStore, 'nodeHealth'>;
}

const lastPassOf = ({ completedAt, completedNodes = 0 }: Partial<PassRecord> = {}): LastPass | undefined =>
  completedAt === undefined ? undefined : { at: completedAt, nodes: completedNodes };

/** When the oldest node was created of the first page that has one: all are there, or one is enough. `undefined`: there is no node. */
const oldestNode = async ({ objects }: LagDeps): Promise<EpochMs | undefined> => {
  for await (const { value } of objects.nodeHealth())
    if (value.length > 0) return Math.min(...value.map(({ createdAt }) => createdAt));
  return undefined;
};

/**
 * How long (ms) no health pass has come to its end; 0 if there are no nodes. A pass that says it is not needed, when there are such, belongs into
 * `LastPass`. Nodes are looked for only if the last pass has seen none, or is late.
 */
const monitorLag = async (deps: LagDeps, now: EpochMs): Promise<number> => {
  const last = lastPassOf(await deps.control.readPass());
  const known = lagOf(last, now);
  return known ?? lagOf(last, now, { oldestNode: await oldestNode(deps) }) ?? 0;
};

export interface RunTicksDeps extends TicksDeps, LagDeps {
  readonly clock: Pick<Clock, 'now'>;
}

/** A run of the schedule: queues the ticks of the next two minutes, and then says how far the passes are behind. */
export const runTicks = async (deps: RunTicksDeps): Promise<TicksReport> => {
  await enqueueTicks(deps, deps.clock.now());
  return { outcome: 'queued', lagMs: await monitorLag(deps, deps.clock.now()) };
};
