import type { Pod } from '../../shared/kube/types/core.ts';
import { type EpochMs, earliest } from '../../shared/kube/values/time.ts';
import type { SchedulerWakeUp } from '../../shared/ports/process/messages.ts';
import { awaitsScheduler } from '../../shared/rules/scheduling/pending.ts';
import { delayPast } from '../../shared/rules/wake-up.ts';
import { isCapacityReconciled } from '../../shared/store/claims/capacity-sweep.ts';
import { createProcessState } from '../../shared/store/lists/process-state.ts';
import {
  inTurn,
  nextAfterTurn,
  type OwnerTurn,
  RENEW_BEFORE_MS,
} from '../../shared/store/turns/owner-turns.ts';
import type { SchedulerDeps } from './deps.ts';
import { placePods } from './place/place-pods.ts';
import { SCHEDULER_QUEUE } from './queue.ts';
import { emptyReport, type SchedulerReport } from './report.ts';
import { createSchedulerState, type SchedulerState } from './scheduler-state.ts';

/** Pods tried before the logs are read again: a pod of higher priority that comes meanwhile waits for no more than these. */
const TOGETHER = 128;
/** Milliseconds after which a run starts no further part. It then sends itself a message. */
const RUN_MS = 10_000;
/** A run waits this long (ms) for a pod that rests. Queues delay by whole seconds. */
const NEAR_MS = 500;
/** A hole of a log is filled within about a second. */
const HOLE_MS = 250;

/** The scheduler has turns as an owner of children has. It has no uid of its own. */
const TURN = 'scheduler';

const inProcess = createProcessState(createSchedulerState);

/** Whether there is anything to read the cluster for. A new pod may be missing in the index: its own message says that it is there. */
const isNeeded = async (
  { objects, schedulerName }: SchedulerDeps,
  state: SchedulerState,
  { kind }: SchedulerWakeUp,
): Promise<boolean> => {
  if (kind === 'pod' || state.isLoaded()) return true;
  for await (const { value: unbound } of objects.unboundPods())
    if (unbound.some(({ object }) => awaitsScheduler(object as Pod, schedulerName))) return true;
  return false;
};

interface Run {
  readonly deps: SchedulerDeps;
  readonly state: SchedulerState;
  readonly report: SchedulerReport;
  /** Until then (ms) the run starts new parts. */
  readonly until: EpochMs;
}

/** When (ms) there is something to do again; `undefined`: when a change comes. */
type Next = EpochMs | undefined;

/** Reads the logs. Resolves to when they have to be read again, because a hole stopped the reader. */
const follow = async ({ deps, state }: Run): Promise<Next> =>
  (await state.follow()) ? deps.clock.now() + HOLE_MS : undefined;

/** Places pods until none is due. Within a turn: one process decides at a time. */
const placeInTurn = async (run: Run, turn: OwnerTurn): Promise<Next> => {
  const { deps, state, report, until } = run;
  const { clock } = deps;
  for (;;) {
    await turn.keep();
    const sureUntil = clock.now() + RENEW_BEFORE_MS;
    const holeAt = await follow(run);
    const due = state.waiting.due(clock.now(), TOGETHER);
    const isCurrent = (): boolean => clock.now() < sureUntil;
    await placePods(deps, state, { due, report, isCurrent });
    const next = due.length > 0 ? clock.now() : earliest([holeAt, state.waiting.nextAt(clock.now())]);
    if (next === undefined || clock.now() >= until || next - clock.now() > NEAR_MS) return next;
    await clock.sleep(Math.max(0, next - clock.now()));
  }
};

/** Before the first sweep over claims has ended a bind could exceed a node. Its end wakes the scheduler. */
const mayBind = async ({ deps, state }: Run): Promise<boolean> => {
  if (state.mayBind) return true;
  const isReconciled = await isCapacityReconciled(deps);
  // Without a Node there is nothing to exceed yet, and the next one may be older than the claims.
  state.mayBind = isReconciled && state.picture.cluster().nodes.length > 0;
  return isReconciled;
};

/** Takes the turn only if a pod is due: most changes help nobody. */
const place = async (run: Run): Promise<Next> => {
  const { deps, state } = run;
  const { clock } = deps;
  const holeAt = await follow(run);
  if (state.waiting.due(clock.now(), 1).length === 0)
    return earliest([holeAt, state.waiting.nextAt(clock.now())]);
  if (!(await mayBind(run))) return holeAt;
  const turn = await inTurn(deps, TURN, (own) => placeInTurn(run, own), { isChecked: false });
  return nextAfterTurn(turn, clock.now());
};

const runOnce = async (
  deps: SchedulerDeps,
  state: SchedulerState,
  message: SchedulerWakeUp,
): Promise<SchedulerReport> => {
  const report = emptyReport();
  if (!(await isNeeded(deps, state, message))) return report;
  if (message.kind === 'flush') state.waiting.wakeAll();
  const { clock, queues } = deps;
  const next = await place({ deps, state, report, until: clock.now() + RUN_MS });
  // One more for the last pod that began to wait for its volumes; those before it began moments earlier.
  for (const at of [next, state.waiting.takeDeadline()]) {
    if (at === undefined) continue;
    const delaySeconds = delayPast(at, clock.now());
    await queues.send(SCHEDULER_QUEUE.name, [{ body: { v: 1, kind: 'change' }, delaySeconds }]);
  }
  return { ...report, waiting: state.waiting.counts(clock.now()) };
};

/**
 * Places the pods that wait for the default scheduler, in the order of their priority and age, until none is left that can be
 * placed now. Throws only if a log cannot be read or the queue fails.
 */
export const reconcile = (deps: SchedulerDeps, message: SchedulerWakeUp): Promise<SchedulerReport> =>
  inProcess(deps, (state) => runOnce(deps, state, message));

/** Lets all pods be tried again, in case a change was lost. */
export const flush = async ({ queues }: Pick<SchedulerDeps, 'queues'>): Promise<undefined> => {
  await queues.send(SCHEDULER_QUEUE.name, [{ body: { v: 1, kind: 'flush' } }]);
};
