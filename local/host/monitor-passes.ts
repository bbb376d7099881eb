/** The passes of the node monitor on a host. */
import { runReportOf } from '../../lambdas/controller.ts';
import { MonitorTick } from '../../lambdas/node-monitor/message.ts';
import { telemetry } from '../../lambdas/node-monitor/metrics.ts';
import { awaitTick, type NodeMonitorDeps, runPass } from '../../lambdas/node-monitor/reconcile.ts';
import type { PassReport } from '../../lambdas/node-monitor/report.ts';
import { enqueueTicks } from '../../lambdas/node-monitor/ticks.ts';
import type { EpochMs } from '../../shared/api/time.ts';
import { recordPass } from './fleet-series.ts';
import type { Invocation } from './invocation.ts';
import type { Worker } from './queue-pumps.ts';
import { record } from './record.ts';
import { createTurns } from './turns.ts';

/** Milliseconds between two looks whether the pass of an earlier tick is over. */
const LOOK_MS = 100;

/** Whether no pass has begun for this tick, or a later one. */
const isWaiting = async ({ control }: NodeMonitorDeps, tick: EpochMs): Promise<boolean> =>
  ((await control.readPass())?.lastTick ?? 0) < tick;

/**
 * Runs the pass of the tick `tick` (ms). In a large outage the one before it may last longer than the period: this one then begins when that is
 * over, and is left out only if the next one is due.
 */
export const runWhenFree = async (deps: NodeMonitorDeps, tick: EpochMs): Promise<PassReport> => {
  const { clock, config } = deps;
  for (;;) {
    const report = await runPass(deps, tick);
    if (report.outcome !== 'skipped' || clock.now() >= tick + config.nodeMonitorPeriodMs) return report;
    if (!(await isWaiting(deps, tick))) return report;
    await clock.sleep(LOOK_MS);
  }
};

/** After a step of the clock or a long suspension no tick with a right instant is queued: those of the next minute are sent. */
export const monitorPasses = (given: Invocation): Worker['handle'] => {
  // Pauses, reads and groups of commits of its own: a pass must not wait behind other controllers. Its Events may.
  const { monitorObjects: objects, monitorWriter: writer } = given;
  const deps = { ...given, objects, writer, pause: createTurns().pause };
  const { presence, clock } = deps;
  let returns = presence.returns();
  return async (body) => {
    const instant = await awaitTick(deps, MonitorTick.parse(body));
    // After the wait, so that the pass reads the floor that this stores.
    await presence.observe();
    if (presence.returns() !== returns) {
      returns = presence.returns();
      await enqueueTicks(deps, clock.now());
    }
    const report = await runWhenFree(deps, instant);
    record(deps, runReportOf(telemetry, report));
    recordPass(deps.metrics, report, clock.now());
  };
};
