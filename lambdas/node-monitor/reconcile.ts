import { optional } from '../../shared/kube/values/optional.ts';
import type { EpochMs } from '../../shared/kube/values/time.ts';
import type { EventBus } from '../../shared/ports/outside/event-bus.ts';
import type { Clock } from '../../shared/ports/process/clock.ts';
import type { EventRecorder } from '../../shared/ports/process/event-recorder.ts';
import type { IdSource } from '../../shared/ports/process/id-source.ts';
import type { WorkQueues } from '../../shared/ports/process/work-queue.ts';
import type {
  CompletedPass,
  ControlStore,
  PassAndCounter,
  PassRecord,
} from '../../shared/ports/store/control-store.ts';
import type { HeartbeatStore } from '../../shared/ports/store/heartbeats.ts';
import type { ObjectStore } from '../../shared/ports/store/object-store.ts';
import { isCalm } from '../../shared/rules/nodes/calm.ts';
import { hearingAt } from '../../shared/rules/nodes/node-health.ts';
import type { NodeLifecycleConfig } from '../../shared/settings/node-lifecycle.ts';
import { NODE_LIFECYCLE_DEFAULTS } from '../../shared/settings/node-lifecycle.ts';
import { waitUntil } from '../../shared/store/turns/wait-until.ts';
import type { ObjectWriter } from '../../shared/store/writer/object-writer.ts';
import { writeDisruption } from './disruption.ts';
import { fleetFigures } from './figures.ts';
import { furthestAheadMs, futureBeatsOf, takeBackFloor, takeBackFutureBeats } from './future-beats.ts';
import { calmAfter } from './judge/calm-facts.ts';
import { createFleetItems, type FleetItems } from './judge/fleet-items.ts';
import { createFleetPlaces, type FleetPlaces } from './judge/fleet-places.ts';
import { takeBackReceipts } from './judge/future-receipts.ts';
import { judge } from './judge/judgement.ts';
import { holdBack } from './judge/pacing.ts';
import { type FoundRelays, holdCutOff, nodesCutOff, recordPartitions, relaysOf } from './judge/partitions.ts';
import { readFleet } from './judge/read-fleet.ts';
import { mapInSlices, type Pause } from './judge/slices.ts';
import { learn, storeLearned } from './learn/learn.ts';
import type { MonitorTick } from './message.ts';
import { tellPlaces } from './publish-places.ts';
import type { PassReport, RelayReport, Skipped } from './report.ts';
import { countsOf, errorsOf } from './report.ts';
import { enqueueTicksOnce, hasTicks, passInstant } from './ticks.ts';
import { requestDrains } from './write/drains.ts';
import { recordFlips } from './write/flips.ts';
import { readPolicies } from './write/policies.ts';
import { writePolicyStatuses } from './write/policy-statuses.ts';
import { afterWrites, writeNodes } from './write/write-nodes.ts';

/** The pass records no more Events from this long (ms) before the function's timeout. */
const EVENTS_MARGIN_MS = 2_000;

export interface NodeMonitorConfig extends NodeLifecycleConfig {
  /** Milliseconds from the start of a pass after which it starts no more writes. */
  readonly writeBudgetMs: number;
  /** Nodes written at the same time. */
  readonly writeConcurrency: number;
  /** Milliseconds for which the lease of a pass keeps other passes out: the function's timeout. */
  readonly passLeaseMs: number;
}

export const NODE_MONITOR_DEFAULTS: NodeMonitorConfig = {
  ...NODE_LIFECYCLE_DEFAULTS,
  writeBudgetMs: 4_000,
  writeConcurrency: 16,
  passLeaseMs: 10_000,
};

export interface NodeMonitorDeps {
  readonly clock: Clock;
  readonly ids: IdSource;
  readonly objects: ObjectStore;
  readonly heartbeats: Pick<
    HeartbeatStore,
    'scan' | 'read' | 'takeBack' | 'learn' | 'readRelay' | 'replaceRelayed'
  >;
  readonly control: ControlStore;
  readonly queues: WorkQueues;
  readonly writer: ObjectWriter;
  readonly recorder: EventRecorder;
  readonly bus: EventBus;
  readonly config: NodeMonitorConfig;
  /** See `ControllerPorts`. */
  readonly skipsCalmPasses?: boolean;
  /** Lets requests be answered during a pass. Absent where there are none. */
  readonly pause?: Pause;
  /** Where the nodes of rosters are among all nodes, see `keepingPlaces`. Absent: each pass finds them. */
  readonly places?: FleetPlaces;
  /** Where the items of nodes are among all items, see `keepingPlaces`. Absent: each pass finds them. */
  readonly items?: FleetItems;
}

/** The same ports for passes of one process, which keep where the nodes of rosters, and the items of nodes, are. */
export const keepingPlaces = <D extends NodeMonitorDeps>(deps: D): D => ({
  ...deps,
  places: createFleetPlaces(),
  items: createFleetItems(),
});

interface Start {
  readonly tick: EpochMs;
  /** Taken (ms) before anything was read, the clock floor too: slow reads must not make a node look silent for longer. */
  readonly now: EpochMs;
  /** The counter of Nodes, read before; absent where no pass is left out. */
  readonly counter: number | undefined;
}

const foundOf = ({ silent }: FoundRelays, cutOff: ReadonlySet<string>): RelayReport => ({
  silentRelays: silent.length,
  cutOffNodes: cutOff.size,
});

const passOver = async (deps: NodeMonitorDeps, { tick, now, counter }: Start, pass: PassRecord) => {
  const { clock, config, pause } = deps;
  await takeBackFloor(deps, pass, now);
  const hearing = hearingAt(pass, now, config);
  const [read, policies] = await Promise.all([readFleet(deps, now), readPolicies(deps)]);
  const { settings, labelsOf } = policies;
  const view = { now, hearing, config, settings };
  const { nodes, heard, zones } = read;
  const readAt = clock.now();
  const future = await futureBeatsOf(read, readAt, pause);
  const relays = await relaysOf(read, view, pause);
  const cutOff = await nodesCutOff(relays, pause);
  const lesson = await learn(deps, { nodes, beats: heard.beats, readAt, cutOff, labelsOf }, view);
  // All by one instant: a node whose beat comes meanwhile is judged anew, by a consistent read, before it is written.
  const decided = await mapInSlices(
    nodes,
    (row, place) => judge(row, lesson.beats(place), view, labelsOf(row.name, row.uid)),
    pause,
  );
  await pause?.();
  const judged = await holdCutOff(holdBack(decided, view), cutOff, view, labelsOf, pause);
  const limits = { until: now + config.writeBudgetMs, concurrency: config.writeConcurrency };
  const { outcomes, postponed } = await writeNodes(deps, judged, view, limits);
  const fleet = await holdCutOff(afterWrites(judged, outcomes), cutOff, view, labelsOf, pause);
  await pause?.();
  const errors = errorsOf(outcomes);
  const disruption = await writeDisruption(deps, { pass, now, fleet, zones, settings, errors });
  const { lessons, errors: unlearned } = await storeLearned(deps, lesson, limits.until);
  const { takenBack, errors: untaken } = await takeBackFutureBeats(deps, future, now);
  const receipts = await takeBackReceipts(deps, read.relays, readAt);
  await pause?.();
  await requestDrains(deps, policies, fleet, limits.until);
  await writePolicyStatuses(deps, policies, fleet, limits.until);
  await pause?.();
  const counts = countsOf(nodes.length, fleet, outcomes);
  await pause?.();
  const report = {
    outcome: 'done' as const,
    tick,
    pass: pass.pass,
    ...counts,
    postponed,
    ...disruption,
    ...lessons,
    errors: [...disruption.errors, ...unlearned, ...untaken],
    aheadNodes: future.length,
    takenBack: takenBack + receipts,
    furthestAheadMs: furthestAheadMs(future, pass, readAt),
    ...foundOf(relays, cutOff),
    figures: fleetFigures(fleet, outcomes),
    durationMs: clock.now() - now,
  };
  const over = { pass, now, policies, relays: read.relays, fleet, report };
  const calm = counter === undefined ? undefined : calmAfter({ ...over, counter }, config);
  return { outcomes, report, relays, cutOff, calm };
};

/**
 * Ends the lease after the work, even if it failed, so that the next tick need not wait for the lease to expire. Only a pass that came to its end counts as
 * completed: the others have detected nothing.
 */
const endingLease = async (
  { clock, control }: NodeMonitorDeps,
  { pass }: PassRecord,
  startedAt: EpochMs,
  work: () => ReturnType<typeof passOver>,
): ReturnType<typeof passOver> => {
  let completed: CompletedPass | undefined;
  try {
    const over = await work();
    completed = { at: startedAt, nodes: over.report.nodes, ...optional('calm', over.calm) };
    return over;
  } finally {
    await control.endPass(pass, clock.now(), completed);
  }
};

/** A pass whose writes are done, and whose Events are not recorded yet. */
export type WrittenPass =
  | Skipped
  | (Awaited<ReturnType<typeof passOver>> & { readonly outcome: 'written'; readonly startedAt: EpochMs });

/**
 * Runs one health pass for the tick of the instant `tick` (ms), without its Events. It writes conditions, swaps and removes NoExecute taints,
 * writes the zones and sends wake-ups. It counts conflicts, and the next pass decides again. `counter`: see `Start`. Throws if a read, or a write of a zone, fails.
 */
export const writePass = async (
  deps: NodeMonitorDeps,
  tick: EpochMs,
  counter?: number,
): Promise<WrittenPass> => {
  const { clock, control, config } = deps;
  const startedAt = clock.now();
  const pass = await control.startPass(tick, startedAt, config.passLeaseMs);
  if (!pass) return { outcome: 'skipped', tick };
  const start = { tick, now: startedAt, counter };
  const over = await endingLease(deps, pass, startedAt, () => passOver(deps, start, pass));
  return { ...over, outcome: 'written', startedAt };
};

/** Tells what a pass has found by Events and on the event bus. Throws if the event bus fails. */
export const tellPass = async (deps: NodeMonitorDeps, written: WrittenPass): Promise<PassReport> => {
  if (written.outcome === 'skipped') return written;
  const { outcomes, report, relays, cutOff, startedAt } = written;
  await recordPartitions(deps, relays);
  await tellPlaces(deps, report.zones, relays, deps.clock.now());
  const until = startedAt + deps.config.passLeaseMs - EVENTS_MARGIN_MS;
  return { ...report, unrecorded: await recordFlips(deps, outcomes, cutOff, until) };
};

/** Runs one health pass for the tick of the instant `tick` (ms), with its Events. Throws as `writePass` and `tellPass`. */
export const runPass = async (deps: NodeMonitorDeps, tick: EpochMs): Promise<PassReport> =>
  tellPass(deps, await writePass(deps, tick));

/** Waits for the exact instant of a queued tick, because queues delay by whole seconds, and returns it (ms). */
export const awaitTick = async (
  { clock, config }: Pick<NodeMonitorDeps, 'clock' | 'config'>,
  { at }: MonitorTick,
): Promise<EpochMs> => {
  const instant = passInstant(at, clock.now(), config.nodeMonitorPeriodMs);
  await waitUntil(clock, instant);
  return instant;
};

/** Whether no pass begins for a tick. A forced one queues others if there are none, and only then begins a pass. */
const isNeedless = async (
  deps: NodeMonitorDeps,
  { force }: MonitorTick,
  { pass, counter }: PassAndCounter,
  beginsAt: EpochMs,
  now: EpochMs,
): Promise<boolean> => {
  if (!force) return pass !== undefined && isCalm(pass, counter, beginsAt, now);
  if (hasTicks(pass ?? {}, now)) return true;
  await enqueueTicksOnce(deps, pass ?? {}, now);
  return false;
};

/** Asks first whether the pass is needed: a tick that is not does not wait. */
const runUnlessCalm = async (deps: NodeMonitorDeps, tick: MonitorTick): Promise<PassReport> => {
  const { clock, control, config } = deps;
  const seen = await control.readPassAndCounter();
  const now = clock.now();
  const at = passInstant(tick.at, now, config.nodeMonitorPeriodMs);
  if (await isNeedless(deps, tick, seen, Math.max(at, now), now)) return { outcome: 'skipped', tick: at };
  await waitUntil(clock, at);
  return tellPass(deps, await writePass(deps, at, seen.counter));
};

/** Runs the pass of a queued tick at its instant. Throws as `runPass`. */
export const reconcile = async (deps: NodeMonitorDeps, tick: MonitorTick): Promise<PassReport> =>
  deps.skipsCalmPasses ? runUnlessCalm(deps, tick) : runPass(deps, await awaitTick(deps, tick));
