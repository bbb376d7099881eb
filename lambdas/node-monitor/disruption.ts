import type { EpochMs } from '../../shared/kube/values/time.ts';
import type { Clock } from '../../shared/ports/process/clock.ts';
import type { WorkQueues } from '../../shared/ports/process/work-queue.ts';
import type { ControlStore, PassRecord, ZoneRecord } from '../../shared/ports/store/control-store.ts';
import type { LifecycleSettings } from '../../shared/rules/nodes/policy-settings.ts';
import type { DisruptionMode } from '../../shared/rules/zones/disruption-mode.ts';
import { isStopped } from '../../shared/rules/zones/disruption-mode.ts';
import type { StoredZone } from '../../shared/rules/zones/eviction-rate.ts';
import { zoneChange } from '../../shared/rules/zones/zone-change.ts';
import type { DisruptionDecision } from '../../shared/rules/zones/zone-disruption.ts';
import { decideDisruption } from '../../shared/rules/zones/zone-disruption.ts';
import { zoneIdOf, zoneNameOf } from '../../shared/rules/zones/zone-names.ts';
import type { NodeLifecycleConfig } from '../../shared/settings/node-lifecycle.ts';
import { sendWakeUp } from '../../shared/store/beats/zone-wake-up.ts';
import { inParallel } from '../../shared/store/turns/in-parallel.ts';
import type { ObjectWriter } from '../../shared/store/writer/object-writer.ts';
import type { Judgement } from './judge/judgement.ts';
import type { Pause } from './judge/slices.ts';
import type { ZoneFinding, ZoneView } from './judge/zones.ts';
import { countZones, storedZones, waitingByZone, writeZone } from './judge/zones.ts';
import type { NodeError, ZoneReport } from './report.ts';
import { stripFleet } from './write/strip-fleet.ts';
import { needsWakeUp } from './write/wake-ups.ts';

export interface DisruptionDeps {
  readonly clock: Clock;
  readonly control: ControlStore;
  readonly queues: WorkQueues;
  readonly writer: ObjectWriter;
  readonly pause?: Pause;
  readonly config: NodeLifecycleConfig & {
    readonly writeBudgetMs: number;
    readonly writeConcurrency: number;
  };
}

/** What a pass knows when it decides about its zones. */
export interface PassState {
  readonly pass: PassRecord;
  /** Start of the pass, ms. */
  readonly now: EpochMs;
  /** All nodes, as judged after this pass's writes. */
  readonly fleet: readonly Judgement[];
  /** The zones as they were read at the start of the pass. */
  readonly zones: readonly ZoneRecord[];
  /** What the policies say, as read at the start of the pass. */
  readonly settings: LifecycleSettings;
  /** Nodes that failed so far. A pass with errors drops no zone. */
  readonly errors: readonly NodeError[];
}

export interface DisruptionReport {
  readonly mode: DisruptionMode;
  readonly zones: readonly ZoneReport[];
  /** Nodes whose health taints were removed. */
  readonly stripped: number;
  readonly errors: readonly NodeError[];
}

const findingsOf = (
  { mode, zones }: DisruptionDecision,
  stored: ReadonlyMap<string, StoredZone>,
  { fleet, now, settings }: PassState,
): readonly ZoneFinding[] => {
  const waiting = waitingByZone(fleet, now);
  const heldBack = Map.groupBy(
    fleet.filter(({ isHeldBack }) => isHeldBack),
    ({ row }) => row.zone,
  );
  return [...zones].map(([key, decision]) => ({
    key,
    decision,
    waiting: waiting.get(key) ?? [],
    heldBack: heldBack.get(key)?.length ?? 0,
    reason: zoneChange(mode, decision, stored.get(key), settings.zone(key)),
  }));
};

const reportOf = ({ key, decision, waiting }: ZoneFinding, woken: boolean): ZoneReport => {
  const { state, size, notReady, rate } = decision;
  const health = size === 0 ? 100 : (100 * (size - notReady)) / size;
  return { zone: zoneNameOf(key), state, size, notReady, health, rate, waiting: waiting.length, woken };
};

const storeZone = async (
  { clock, control, queues }: DisruptionDeps,
  finding: ZoneFinding,
  read: ZoneRecord | undefined,
  view: ZoneView,
): Promise<ZoneReport> => {
  const written = await writeZone(control, finding, read, view, clock);
  const isDue = written !== undefined && needsWakeUp(written.zone, written.before, clock.now());
  return reportOf(finding, isDue && (await sendWakeUp({ control, queues }, written.zone, clock.now())));
};

const dropZones = async (
  { control }: DisruptionDeps,
  { dropped }: DisruptionDecision,
  { pass }: PassState,
): Promise<void> => {
  for (const key of dropped) await control.dropZone(zoneIdOf(key), pass.pass);
};

/**
 * Decides the state and rate of each zone from this pass's counts, and writes the zones. When the fleet leaves full disruption,
 * one write first makes all older zone records void, so that a crash leaves nothing half done. When it enters full disruption,
 * the taints are removed last, after the rates became 0. A pass that a later pass has overtaken writes no zone.
 */
export const writeDisruption = async (deps: DisruptionDeps, state: PassState): Promise<DisruptionReport> => {
  const { config, control, pause } = deps;
  const { pass, now, zones, fleet, settings, errors } = state;
  const stored = storedZones(zones, pass);
  const decision = decideDisruption(stored, countZones(fleet), settings.zone, errors.length === 0);
  await pause?.();
  const findings = findingsOf(decision, stored, state);
  await pause?.();
  const { mode } = decision;
  if (mode === 'leaveFullDisruption' && !(await control.raiseClockFloor(now, pass.pass)))
    return { mode, zones: findings.map((finding) => reportOf(finding, false)), stripped: 0, errors };
  const records = new Map(zones.map((zone) => [zone.id, zone]));
  const view = { pass: pass.pass, now, periodMs: config.nodeMonitorPeriodMs };
  const reports = await inParallel(findings, config.writeConcurrency, (finding) =>
    storeZone(deps, finding, records.get(zoneIdOf(finding.key)), view),
  );
  await dropZones(deps, decision, state);
  const strip = isStopped(mode) ? await stripFleet(deps, state) : { stripped: 0, errors: [] };
  return { mode, zones: reports, stripped: strip.stripped, errors: [...errors, ...strip.errors] };
};
