/** Finds passes of the node monitor that would change nothing, so that a simulation can leave them out. */
import type { EpochMs } from '../shared/kube/values/time.ts';
import type { ControlStore, ZoneRecord } from '../shared/ports/store/control-store.ts';
import type { LiveRow } from '../shared/ports/store/rows.ts';
import { planWakeUp } from '../shared/rules/wake-up.ts';
import type { NodeLifecycleConfig } from '../shared/settings/node-lifecycle.ts';
import type { Plan } from './plan/plan.ts';
import type { Committed, PassReport } from './plane/control-plane-types.ts';
import type { Machine } from './plane/machine.ts';
import { beatsBetween, silences } from './plane/schedule.ts';

/** If a wake-up is later than this (ms), the next pass may count it as lost. */
const LATE_MS = 5_000;
/** Taints that may be put before another pass is needed: a zone's record names at least twenty waiting nodes. */
const MOST_TAINTS = 10;

/** Instants after which a pass may find the machine silent, or back. Between them its heartbeats change no pass. */
const wakesOf = (
  { beating: { schedule } }: Machine,
  { startAt, endAt }: Plan,
  config: NodeLifecycleConfig,
) => {
  const graces = [config.nodeMonitorGracePeriodMs, config.nodeStartupGracePeriodMs];
  const isRegular = schedule.gaps.length + schedule.losses.length === 0;
  if (isRegular && schedule.intervalMs + schedule.jitterMs <= Math.min(...graces)) return [];
  const first = beatsBetween(schedule, startAt, endAt).next().value;
  const silent = silences(schedule, startAt, endAt, Math.min(...graces)).flatMap(({ from, to }) => [
    ...graces.map((graceMs) => from + graceMs + 1),
    ...(to === undefined ? [] : [to]),
  ]);
  return first === undefined ? silent : [first, ...silent];
};

type DonePass = Extract<PassReport, { outcome: 'done' }>;

const writesOf = ({ flips, readied, retainted, stripped }: DonePass): number =>
  flips + readied + retainted + stripped;

/** Whether a pass wrote all that it decided, and left nothing for the next one. */
const isSettled = ({ conflicts, postponed, errors, mode }: DonePass): boolean =>
  conflicts + postponed + errors.length === 0 && (mode === 'unchanged' || mode === 'remainFullDisruption');

/** Whether a zone needs nothing of a pass: no node waits, or the wake-up of the worker is on its way. */
const isWaitingForWorker = ({ limiter, waiting, wakeAt }: ZoneRecord, now: EpochMs): boolean =>
  waiting.length === 0 ||
  limiter.rate <= 0 ||
  (wakeAt !== undefined && now - wakeAt <= LATE_MS && wakeAt <= planWakeUp(limiter.nextAt, now).wakeAt);

/** Whether a commit only put the NoExecute taint that the zone's record announced. */
const isPromisedTaint = (before: LiveRow, after: LiveRow): boolean => {
  const [was, is] = [before.facts.node, after.facts.node];
  return (
    was?.ready === is?.ready &&
    is?.ready !== 'True' &&
    was?.noExecute.length === 0 &&
    is?.noExecute.length === 1
  );
};

/** Predicts quiet passes from the commits and passes so far. */
export interface QuietPasses {
  /** Call it for each commit. */
  readonly onCommit: (commit: Committed) => void;
  /** Call it when a pass starts at `now`, ms. */
  readonly onStart: (now: EpochMs) => void;
  /** Call it when the pass that started at `now` (ms) has ended. */
  readonly onPass: (report: PassReport, now: EpochMs) => void;
  /** Whether a pass at `now` (ms) would neither write an object nor send a message. */
  readonly isQuiet: (now: EpochMs) => Promise<boolean>;
}

/**
 * Finds passes that change nothing; valid only for a control plane without faults. A pass is quiet if the last pass wrote all
 * that it decided, no node has changed since (except by announced taints), no machine crosses a grace period, and the wake-up of
 * every zone with waiting nodes is on its way. Such a pass would only update the age of the zones' records.
 */
export const createQuietPasses = (
  plan: Plan,
  config: NodeLifecycleConfig,
  control: Pick<ControlStore, 'zones'>,
): QuietPasses => {
  const wakes = plan.machines.flatMap((machine) => wakesOf(machine, plan, config)).toSorted((a, b) => a - b);
  const longestBeat = plan.machines.reduce(
    (most, { beating: { schedule } }) => Math.max(most, schedule.intervalMs + schedule.jitterMs),
    0,
  );
  /** After this instant every machine without a planned silence at the start has sent its first heartbeat. */
  const everybodyBeatAt = plan.startAt + longestBeat;
  let lastPassAt = Number.NEGATIVE_INFINITY;
  let hasSettled = false;
  /** Commits of nodes since the last pass began, including its own, without announced taints. */
  let changes = 0;
  /** Of these, the commits of the pass itself. */
  let own = 0;
  let taints = 0;
  let next = 0;
  /** When the grace period ends that starts when the full disruption is over. */
  let floorWakeAt = Number.POSITIVE_INFINITY;

  const crossesGrace = (now: EpochMs): boolean => {
    while ((wakes[next] ?? Number.POSITIVE_INFINITY) <= lastPassAt) next += 1;
    return (
      (wakes[next] ?? Number.POSITIVE_INFINITY) <= now || (floorWakeAt > lastPassAt && floorWakeAt <= now)
    );
  };
  return {
    onCommit: ({ change: { before, after } }) => {
      if ((after ?? before)?.key.resource !== 'nodes') return;
      if (before?.state === 'live' && after?.state === 'live' && isPromisedTaint(before, after)) taints += 1;
      else changes += 1;
    },
    onStart: (now) => {
      // The pass may not see commits of others that happen while it runs.
      changes = 0;
      hasSettled = false;
      taints = 0;
      lastPassAt = now;
    },
    onPass: (report, now) => {
      if (report.outcome === 'skipped') return;
      own = writesOf(report);
      hasSettled = isSettled(report);
      if (report.mode === 'leaveFullDisruption') floorWakeAt = now + config.nodeMonitorGracePeriodMs + 1;
    },
    isQuiet: async (now) =>
      hasSettled &&
      changes === own &&
      lastPassAt > everybodyBeatAt &&
      taints < MOST_TAINTS &&
      !crossesGrace(now) &&
      (await control.zones()).every((zone) => isWaitingForWorker(zone, now)),
  };
};
