/** The passes of the node monitor on a host. */
import { runReportOf } from '../../lambdas/contract/controller.ts';
import { MonitorTick } from '../../lambdas/node-monitor/message.ts';
import { telemetry } from '../../lambdas/node-monitor/metrics.ts';
import {
  awaitTick,
  keepingPlaces,
  type NodeMonitorDeps,
  tellPass,
  type WrittenPass,
  writePass,
} from '../../lambdas/node-monitor/reconcile.ts';
import type { PassReport } from '../../lambdas/node-monitor/report.ts';
import { enqueueTicks } from '../../lambdas/node-monitor/ticks.ts';
import type { EpochMs } from '../../shared/kube/values/time.ts';
import { waitUntil } from '../../shared/store/turns/wait-until.ts';
import { recordPass } from '../figures/fleet-series.ts';
import { record } from '../figures/record.ts';
import type { Invocation } from './invocation.ts';
import type { Worker } from './queue-pumps.ts';

/** Milliseconds between two looks whether the pass of an earlier tick is over. */
const LOOK_MS = 100;
/** So many nodes that will be silent before the next tick are an outage, which a host marks as it goes on: together they take it seconds. */
const MANY = 1_000;
/** Milliseconds from the start of a pass to that of the next one in an outage: a pass over 100,000 nodes takes a fifth of it. */
const OUTAGE_PERIOD_MS = 1_000;

/** Whether no pass has begun for this tick, or a later one. */
const isWaiting = async ({ control }: NodeMonitorDeps, tick: EpochMs): Promise<boolean> =>
  ((await control.readPass())?.lastTick ?? 0) < tick;

/**
 * Runs the pass of the tick `tick` (ms), and tells nothing yet. In a large outage the one before it may last longer than the period: this one
 * then begins when that is over, and is left out only if the next one is due.
 */
export const writeWhenFree = async (deps: NodeMonitorDeps, tick: EpochMs): Promise<WrittenPass> => {
  const { clock, config } = deps;
  for (;;) {
    const written = await writePass(deps, tick);
    if (written.outcome !== 'skipped' || clock.now() >= tick + config.nodeMonitorPeriodMs) return written;
    if (!(await isWaiting(deps, tick))) return written;
    await clock.sleep(LOOK_MS);
  }
};

/** When (ms) the next pass of an outage begins; `undefined`: the next tick is early enough. */
const nextInOutage = (written: WrittenPass, untilTick: EpochMs, now: EpochMs): EpochMs | undefined => {
  if (written.outcome === 'skipped' || written.report.almostSilent < MANY) return undefined;
  const at = Math.max(written.startedAt + OUTAGE_PERIOD_MS, now);
  return at < untilTick ? at : undefined;
};

const reportOf = (written: WrittenPass): PassReport =>
  written.outcome === 'skipped' ? written : written.report;

interface AroundPasses {
  /** Called before each pass, for its ports. What it stores is what the pass reads. */
  readonly begin: () => Promise<NodeMonitorDeps>;
  /** Whether the host has been here for so long that nodes which could not reach it have come back. */
  readonly isSettled: () => boolean;
  /** Called after the writes of each pass, in their order. */
  readonly onWritten: (report: PassReport) => void;
  /** Called when a pass has told what it found. */
  readonly onTold: (report: PassReport) => void;
}

/**
 * Runs the pass of the tick `tick` (ms) with all that it tells. If it sees that many nodes will be silent before the next tick, passes follow
 * each second until then, so that the nodes of an outage are marked while they fall silent, and not all at the end. None follow while the fleet
 * comes back to a host that was away: its nodes need the time.
 */
export const runPasses = async (
  deps: NodeMonitorDeps,
  tick: EpochMs,
  { begin, isSettled, onWritten, onTold }: AroundPasses,
): Promise<void> => {
  const { clock, config } = deps;
  const untilTick = tick + config.nodeMonitorPeriodMs;
  const goOn = async (written: WrittenPass): Promise<void> => {
    onWritten(reportOf(written));
    const next = isSettled() ? nextInOutage(written, untilTick, clock.now()) : undefined;
    const follow = async (at: EpochMs): Promise<void> => {
      await waitUntil(clock, at);
      const own = await begin();
      // Not as the next tick, if time has come to that: it has a message, and its own passes follow it.
      await goOn(await writePass(own, Math.min(clock.now(), untilTick - 1)));
    };
    // Its Events take longer than the next pass can wait.
    await Promise.all([tellPass(deps, written).then(onTold), next === undefined ? undefined : follow(next)]);
  };
  await goOn(await writeWhenFree(await begin(), tick));
};

/** After a step of the clock or a long suspension no tick with a right instant is queued: those of the next minute are sent. */
export const monitorPasses = (given: Invocation): Worker['handle'] => {
  // Pauses, reads and groups of commits of its own: a pass must not wait behind other controllers. Its Events may.
  const { monitorObjects: objects, monitorPause: pause, presence, clock } = given;
  const deps = keepingPlaces({ ...given, objects, pause });
  let returns = presence.returns();
  /** Once for each return, however many passes begin together. The next pass sends ticks that could not be sent. */
  const sendTicks = async (begun: number): Promise<void> => {
    if (begun === returns) return;
    returns = begun;
    await enqueueTicks(deps, clock.now()).catch((error: unknown) => {
      returns = Number.NaN;
      throw error;
    });
  };
  const begin = async (): Promise<NodeMonitorDeps> => {
    await presence.observe();
    const begun = presence.returns();
    await sendTicks(begun);
    // A pass that has begun before an absence or a step of the clock may have judged by what no longer holds.
    return { ...deps, writer: given.passWriter(() => presence.returns() !== begun) };
  };
  const isSettled = (): boolean =>
    clock.now() >= presence.comebackUntil() + deps.config.nodeMonitorGracePeriodMs;
  const onWritten = (report: PassReport): void => {
    record(deps, runReportOf(telemetry, report));
    recordPass(deps.metrics, report, clock.now());
  };
  const onTold = (report: PassReport): void => {
    if (report.outcome === 'done' && report.unrecorded)
      deps.hostLog.warn('there was no time to record all Events of silent nodes', {
        unrecorded: report.unrecorded,
      });
  };
  const around = { begin, isSettled, onWritten, onTold };
  return async (body) => runPasses(deps, await awaitTick(deps, MonitorTick.parse(body)), around);
};
