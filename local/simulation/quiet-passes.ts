import type { EpochMs } from '../../shared/api/time.ts';
import type { NodeLifecycleConfig } from '../../shared/config/node-lifecycle.ts';
import { planWakeUp } from '../../shared/domain/wake-up.ts';
import type { ControlStore, ZoneRecord } from '../../shared/ports/control-store.ts';
import type { LiveRow } from '../../shared/ports/rows.ts';
import type { Committed, PassReport } from './control-plane-types.ts';
import type { Machine } from './machine.ts';
import type { Plan } from './plan.ts';
import { beatsBetween, silences } from './schedule.ts';

/** A wake-up that is this late (ms) may be taken for lost by the next pass. */
const LATE_MS = 5_000;
/** A zone's record names at least twenty waiting nodes: so many of them may get their taint before a pass must name others. */
const MOST_TAINTS = 10;

/** Instants from which on a pass may find a machine silent, or back. Beats in between change nothing for any pass. */
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

/** Whether a pass left nothing to the next one: all that it decided is written. */
const isSettled = ({ conflicts, postponed, errors, mode }: DonePass): boolean =>
  conflicts + postponed + errors.length === 0 && (mode === 'unchanged' || mode === 'remainFullDisruption');

const isWaitingForWorker = ({ limiter, waiting, wakeAt }: ZoneRecord, now: EpochMs): boolean =>
  waiting.length === 0 ||
  limiter.rate <= 0 ||
  (wakeAt !== undefined && now - wakeAt <= LATE_MS && wakeAt <= planWakeUp(limiter.nextAt, now).wakeAt);

/** Whether a commit did no more than to put the NoExecute taint that the zone's record promised. */
const isPromisedTaint = (before: LiveRow, after: LiveRow): boolean => {
  const [was, is] = [before.facts.node, after.facts.node];
  return (
    was?.ready === is?.ready &&
    is?.ready !== 'True' &&
    was?.noExecute.length === 0 &&
    is?.noExecute.length === 1
  );
};

export interface QuietPasses {
  readonly onCommit: (commit: Committed) => void;
  readonly onStart: (now: EpochMs) => void;
  readonly onPass: (report: PassReport, now: EpochMs) => void;
  /** Whether a pass at `now` (ms) would write no object and send no message. */
  readonly isQuiet: (now: EpochMs) => Promise<boolean>;
}

/**
 * Knows which passes change nothing. True only of a control plane without faults: beats are those of the plan, the last
 * pass found nothing to write, no node has changed since (but for taints whose order is settled), nobody crosses a grace
 * period, and every zone that waits has its wake-up on the way. What such a pass would still write is the age of the
 * zones' records.
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
  /** A pass after this instant has seen the first beat of every regular machine. */
  const everybodyBeatAt = plan.startAt + longestBeat;
  let lastPassAt = Number.NEGATIVE_INFINITY;
  let hasSettled = false;
  /** Commits of nodes since the last pass began that are not taints as promised; its own among them. */
  let changes = 0;
  let own = 0;
  let taints = 0;
  let next = 0;
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
      // What others commit while the pass runs may have come too late for it.
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
