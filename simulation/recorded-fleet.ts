/** The outage of a real fleet as a plan: its machines, their silences and their pods, to be run under any settings. */
import type { EpochMs } from '../shared/kube/values/time.ts';
import type { Moment } from '../shared/rules/history/happened.ts';
import { momentsBetween } from '../shared/rules/history/happened.ts';
import { type Fleet, type FleetRecord, fleetAt } from '../shared/rules/history/record.ts';
import type { SeenNode } from '../shared/rules/history/seen-node.ts';
import type { NodeLifecycleConfig } from '../shared/settings/node-lifecycle.ts';
import type { Happening } from './figures/history.ts';
import { FOREVER } from './plan/cuts.ts';
import type { Plan, PlannedPod, PlannedToleration } from './plan/plan.ts';
import type { PlannedAction } from './plan/plan-actions.ts';
import { ScenarioError } from './plan/yaml-fields.ts';
import type { Machine } from './plane/machine.ts';
import { type Gap, silences } from './plane/schedule.ts';
import { runPlan } from './run.ts';

/** A pod that is bound to a node. `toleration` of the taints of silent nodes. */
export interface BoundPod {
  readonly name: string;
  readonly node: string;
  readonly toleration: PlannedToleration;
  readonly createdAt: EpochMs;
}

/** What is simulated: the plan, and the settings that it ran under. */
export interface RecordedFleet {
  readonly rollcall: 'fleet';
  readonly version: 1;
  readonly plan: Plan;
  readonly settings: NodeLifecycleConfig;
  /** Settings that are tried instead. */
  readonly changed: Partial<NodeLifecycleConfig>;
}

/** Milliseconds of quiet before the first loss. */
const BEFORE_MS = 60_000;
/** Beats in a grace period. */
const BEATS = 4;

/** When the last beat of a node came that was lost at `at`: its grace period, and half a pass, before. */
const lastBeatAt = (
  at: EpochMs,
  { nodeMonitorGracePeriodMs, nodeMonitorPeriodMs }: NodeLifecycleConfig,
): EpochMs => Math.round(at - nodeMonitorGracePeriodMs - nodeMonitorPeriodMs / 2);

const intervalOf = ({ nodeMonitorGracePeriodMs }: NodeLifecycleConfig): number =>
  Math.round(nodeMonitorGracePeriodMs / BEATS);

/** When a node was silent. Before it was ready again a beat had come. */
const silencesOf = (moments: readonly Moment[], settings: NodeLifecycleConfig): readonly Gap[] => {
  const gaps: { from: EpochMs; to: EpochMs }[] = [];
  for (const { at, what } of moments) {
    const last = gaps.at(-1);
    const isOpen = last?.to === FOREVER;
    if (what === 'lost' && !isOpen) gaps.push({ from: lastBeatAt(at, settings) + 1, to: FOREVER });
    if (['returned', 'becameReady', 'notReady'].includes(what) && isOpen)
      last.to = Math.max(last.from + 1, at - intervalOf(settings));
  }
  return gaps;
};

const machineOf = (
  name: string,
  zone: string,
  gaps: readonly Gap[],
  startAt: EpochMs,
  settings: NodeLifecycleConfig,
): Machine => {
  const intervalMs = intervalOf(settings);
  // A beat comes just before the first silence.
  const phase = gaps[0] === undefined ? 0 : (gaps[0].from - 1 - startAt) % intervalMs;
  const schedule = { startAt: startAt + phase, intervalMs, jitterMs: 0, seed: 1, gaps, losses: [] };
  return { name, zone, beating: { style: 'kubelet', schedule, clockSkewMs: 0 } };
};

/** The toleration that the time between the taint of its node and its eviction shows. */
const shownToleration = (evicted: Moment, moments: readonly Moment[]): PlannedToleration => {
  const taint = moments.findLast(({ at, what }) => what === 'tainted' && at <= evicted.at);
  const seconds = taint ? Math.round((evicted.at - taint.at) / 1000) : 0;
  return seconds <= 1 ? 'none' : seconds;
};

const podName = (name: string): string => name.replace('/', '.');

const evictedPods = (byNode: ReadonlyMap<string, readonly Moment[]>): readonly PlannedPod[] =>
  [...byNode].flatMap(([node, moments]) =>
    moments.flatMap((one) =>
      one.what === 'evicted' && one.reason === 'DeletionByTaintManager' && one.pod !== undefined
        ? [{ name: podName(one.pod), node, toleration: shownToleration(one, moments) }]
        : [],
    ),
  );

const stayingPods = (
  pods: readonly BoundPod[],
  gone: readonly PlannedPod[],
  before: EpochMs,
): readonly PlannedPod[] => {
  const known = new Set(gone.map(({ name }) => name));
  return pods
    .filter(({ name, createdAt }) => createdAt < before && !known.has(podName(name)))
    .map(({ name, node, toleration }) => ({ name: podName(name), node, toleration }));
};

/** The Nodes of the fleet that are deleted after its first loss. */
const actionsOf = (moments: readonly Moment[], fleet: Fleet): readonly PlannedAction[] =>
  moments.flatMap(({ at, node, what }) =>
    what === 'left' && fleet.has(node) ? [{ at, node, kind: 'leave' as const }] : [],
  );

/** What the simulation leaves out of a record, as sentences; with the number of nodes that it concerns. */
const leftOut = (moments: readonly Moment[]): readonly string[] => {
  const nodesWith = (...kinds: readonly Moment['what'][]): number =>
    new Set(moments.filter(({ what }) => kinds.includes(what)).map(({ node }) => node)).size;
  const sentence = (count: number, text: string): readonly string[] =>
    count === 0 ? [] : [`${text}: ${count}`];
  return [
    ...sentence(
      nodesWith('notReady'),
      'nodes that said themselves that they were not ready, which is not simulated',
    ),
    ...sentence(nodesWith('joined'), 'nodes that joined later, which are left out'),
    ...sentence(
      nodesWith('drainAsked', 'shutdownBegan'),
      'nodes that were drained or shut down, which is not simulated',
    ),
  ];
};

/** The plan of what is recorded up to `until`, and what it leaves out. `undefined`: no node was lost. */
export const planOfRecord = (
  record: FleetRecord,
  settings: NodeLifecycleConfig,
  pods: readonly BoundPod[],
): { readonly plan: Plan; readonly notes: readonly string[] } | undefined => {
  const moments = momentsBetween(record, record.since, record.until);
  const lostAt = moments.find(({ what }) => what === 'lost')?.at;
  if (lostAt === undefined) return undefined;
  const startAt = lastBeatAt(lostAt, settings) - BEFORE_MS;
  const sinceLoss = moments.filter(({ at }) => at >= lostAt);
  const byNode = Map.groupBy(moments, ({ node }) => node);
  const fleet = fleetAt(record, lostAt - 1) ?? fleetAt(record, lostAt) ?? new Map<string, SeenNode>();
  const machines = [...fleet].map(([name, { zone }]) =>
    machineOf(name, zone, silencesOf(byNode.get(name) ?? [], settings), startAt, settings),
  );
  const gone = evictedPods(byNode).filter(({ node }) => fleet.has(node));
  const planned = [...gone, ...stayingPods(pods, gone, lostAt).filter(({ node }) => fleet.has(node))];
  const until = record.until;
  const returns = machines.flatMap(({ name, beating: { schedule } }) =>
    silences(schedule, startAt, until, 2 * schedule.intervalMs).flatMap(({ to }) =>
      to === undefined ? [] : [{ at: to, node: name }],
    ),
  );
  const plan: Plan = {
    name: 'recorded-fleet',
    seed: 1,
    startAt,
    endAt: until,
    machines,
    pods: planned,
    actions: actionsOf(sinceLoss, fleet),
    readyPosts: returns.toSorted((a, b) => a.at - b.at),
    controlFaults: [],
    settings: {},
  };
  return { plan, notes: leftOut(sinceLoss) };
};

/** What happens under the settings that are, and under the changed ones. */
export interface FleetRuns {
  readonly asIs: readonly Happening[];
  readonly changed: readonly Happening[];
}

/** Runs the plan of a fleet under both settings. */
export const simulateFleet = async ({ plan, settings, changed }: RecordedFleet): Promise<FleetRuns> => {
  const asIs = await runPlan(plan, settings);
  const other = await runPlan(plan, { ...settings, ...changed });
  return { asIs: asIs.happenings, changed: other.happenings };
};

/** Parses a recorded fleet. Throws a `ScenarioError` if `text` is none. */
export const parseFleet = (text: string, file: string): RecordedFleet => {
  try {
    const found = JSON.parse(text) as Partial<RecordedFleet>;
    if (found.rollcall === 'fleet' && found.version === 1 && found.plan && found.settings && found.changed)
      return found as RecordedFleet;
  } catch {
    // It is no JSON, and so no fleet.
  }
  throw new ScenarioError(`${file} is not a recorded fleet; the dashboard makes one in its view What if`);
};
