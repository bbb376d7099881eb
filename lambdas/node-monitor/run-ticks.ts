import type { Clock } from '../../shared/ports/process/clock.ts';
import { type LagDeps, monitorLag } from './lag.ts';
import type { TicksReport } from './report.ts';
import { enqueueTicks, type TicksDeps } from './ticks.ts';

export interface RunTicksDeps extends TicksDeps, LagDeps {
  readonly clock: Pick<Clock, 'now'>;
}

/** A run of the schedule: queues the ticks of the next two minutes, and then says how far the passes are behind. */
export const runTicks = async (deps: RunTicksDeps): Promise<TicksReport> => {
  await enqueueTicks(deps, deps.clock.now());
  return { outcome: 'queued', lagMs: await monitorLag(deps, deps.clock.now()) };
};
