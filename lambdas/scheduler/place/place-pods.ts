/** Places the pods that are due: binds those that fit, and says of the others why they do not. */
import type { Pod } from '../../../shared/kube/types/core.ts';
import { podTarget } from '../../../shared/ports/process/event-recorder.ts';
import { nominatedNodeOf } from '../../../shared/rules/scheduling/feasible-nodes.ts';
import { outrankedNominations } from '../../../shared/rules/scheduling/preemption/preemption.ts';
import { volumeChoice } from '../../../shared/rules/scheduling/volumes/volume-choice.ts';
import { type BindOutcome, bindWithin } from '../../../shared/store/claims/bind-within.ts';
import { inParallel } from '../../../shared/store/turns/in-parallel.ts';
import { keyOf, type SchedulerDeps } from '../deps.ts';
import { scheduled } from '../events.ts';
import type { WaitingPod } from '../picture/waiting-pod.ts';
import type { SchedulerReport } from '../report.ts';
import type { SchedulerState } from '../scheduler-state.ts';
import { type Attempts, createAttempts, type Placed, type Refused } from './attempt.ts';
import { claimChecks } from './claim-checks.ts';
import { giveUp, hold } from './hold-pods.ts';
import { clearNomination, preemptVictim, withNomination, writeUnschedulable } from './pod-status.ts';

/** Default of `podsAtOnce`: the number of connections of the AWS SDK. */
const CONCURRENCY = 50;

/** Work that goes on while the next pods are decided about. */
const createInFlight = (most: number) => {
  const running = new Set<Promise<void>>();
  return {
    /** Resolves when there is room for the next one. */
    start: async (work: Promise<void>): Promise<void> => {
      const one = work.finally(() => running.delete(one));
      running.add(one);
      if (running.size >= most) await Promise.race(running);
    },
    all: async (): Promise<void> => {
      await Promise.all(running);
    },
  };
};

interface Run {
  readonly deps: SchedulerDeps;
  readonly state: SchedulerState;
  readonly attempts: Attempts;
  readonly report: SchedulerReport;
  /** Whether this process may still decide. */
  readonly isCurrent: () => boolean;
  readonly inFlight: ReturnType<typeof createInFlight>;
}

/** The attempt failed for a reason that has nothing to do with nodes: the others go on, and this pod is tried again. */
const failed = async ({ deps, state, report }: Run, waiting: WaitingPod, error: unknown): Promise<void> => {
  report.errors.push(error);
  state.waiting.retry(waiting, deps.clock.now());
  const message = error instanceof Error ? error.message : String(error);
  // The next attempt tells it again if this cannot be written either.
  await writeUnschedulable(deps, waiting.pod, { reason: 'SchedulerError', message }).catch(() => false);
};

const LARGE = new Set(['NodeResourcesFit']);

const afterBind = async (
  run: Run,
  waiting: WaitingPod,
  assumed: Pod,
  outcome: BindOutcome,
): Promise<void> => {
  const { deps, state, report } = run;
  const { nodeName = '' } = assumed.spec;
  if (outcome === 'bound') {
    report.scheduled += 1;
    state.waiting.remove(assumed.metadata.uid ?? '');
    await deps.recorder.record(
      podTarget(assumed),
      scheduled(keyOf(assumed), nodeName, deps.schedulerName),
      nodeName,
    );
    return;
  }
  state.forget(assumed);
  if (outcome === 'obsolete') state.waiting.remove(assumed.metadata.uid ?? '');
  else if (outcome === 'refused') {
    report.refusedBinds += 1;
    state.waiting.retry(waiting, deps.clock.now());
  } else {
    state.waiting.refuse(waiting, LARGE, deps.clock.now());
    const message = `node ${nodeName} has room, but the pod asks for more than can be counted there`;
    await writeUnschedulable(deps, waiting.pod, { reason: 'Unschedulable', message });
  }
};

const bind = async (run: Run, waiting: WaitingPod, { nodeName }: Placed): Promise<void> => {
  const { deps, state } = run;
  const { pod } = waiting;
  const node = state.picture.node(nodeName);
  if (!node) throw new Error(`node ${nodeName} is gone`);
  const assumed: Pod = { ...pod, spec: { ...pod.spec, nodeName } };
  state.waiting.place(waiting);
  state.assume(assumed);
  try {
    const [uid, rows] = [pod.metadata.uid ?? '', await claimChecks(deps, pod)];
    const placement = { pod: keyOf(pod), uid, node, isCurrent: run.isCurrent };
    const outcome = rows ? await bindWithin(deps.writer, { ...placement, rows }) : 'refused';
    await afterBind(run, waiting, assumed, outcome);
  } catch (error) {
    // It may be bound all the same: then the log says so.
    state.forget(assumed);
    await failed(run, waiting, error);
  }
};

/** Pods of lower priority lose their nomination for the node: their room goes to this pod, and they have to find other room. */
const outrank = async ({ deps, state }: Run, pod: Pod, nodeName: string): Promise<void> => {
  const outranked = outrankedNominations(
    pod,
    nodeName,
    state.waiting.nominations().map(({ pod: other }) => other),
  );
  await inParallel(outranked, CONCURRENCY, (other) => clearNomination(deps, other));
  for (const other of outranked) {
    state.waiting.put(withNomination(other, ''));
    state.waiting.wakePod(other.metadata.uid ?? '');
  }
};

/** Stores the nomination before the first victim goes: a crash in between must not take room that nobody remembers. */
const preemptFor = async (run: Run, pod: Pod, { nominatedNodeName = '', victims, message }: Refused) => {
  const { deps, state, report } = run;
  const waits = await writeUnschedulable(deps, pod, { reason: 'Unschedulable', message, nominatedNodeName });
  if (!waits) return;
  state.waiting.put(withNomination(pod, nominatedNodeName));
  await outrank(run, pod, nominatedNodeName);
  const gone = await inParallel(victims, deps.podsAtOnce ?? CONCURRENCY, (victim) =>
    preemptVictim(deps, pod, victim),
  );
  report.preemptions += 1;
  report.victims += gone.filter(Boolean).length;
};

const refuse = async (run: Run, waiting: WaitingPod, refused: Refused): Promise<void> => {
  const { deps, state, report } = run;
  const { pod } = waiting;
  report.unschedulable += 1;
  const hadVolumes = waiting.bindingUntil !== undefined;
  state.waiting.refuse(waiting, refused.plugins, deps.clock.now());
  if (refused.victims.length > 0) return preemptFor(run, pod, refused);
  const { message, nominatedNodeName = hadVolumes ? '' : undefined } = refused;
  const waits = await writeUnschedulable(deps, pod, { reason: 'Unschedulable', message, nominatedNodeName });
  if (waits && nominatedNodeName !== undefined) state.waiting.put(withNomination(pod, nominatedNodeName));
  return undefined;
};

/** Binds the pod, or first the volumes of its claims. */
const settle = (run: Run, waiting: WaitingPod, placed: Placed): Promise<void> => {
  const { nodeName } = placed;
  const { picture } = run.state;
  const node = picture.node(nodeName);
  const choice = node && volumeChoice(waiting.pod, node, picture.cluster().storage);
  return choice ? hold(run, waiting, nodeName, choice) : bind(run, waiting, placed);
};

/** Decides at once; the promise is what has to be written. */
const place = (
  run: Run,
  waiting: WaitingPod,
): { readonly work: Promise<void>; readonly isOrdered: boolean } => {
  const { failure } = waiting;
  if (failure !== undefined) return { work: giveUp(run, waiting, failure), isOrdered: true };
  const tried = run.attempts.try(waiting.pod);
  if (tried.result === 'placed') return { work: settle(run, waiting, tried), isOrdered: false };
  // The next attempt has to know of a nomination that comes or goes.
  const isOrdered = tried.victims.length > 0 || nominatedNodeOf(waiting.pod) !== '';
  return { work: refuse(run, waiting, tried), isOrdered };
};

const placeOne = async (run: Run, waiting: WaitingPod): Promise<void> => {
  const { work, isOrdered } = place(run, waiting);
  const safe = work.catch((error: unknown) => failed(run, waiting, error));
  if (isOrdered) await safe;
  else await run.inFlight.start(safe);
};

/** The pods to be tried, and where the result is counted. */
export interface Part {
  readonly due: readonly WaitingPod[];
  readonly report: SchedulerReport;
  /** Whether this process may still decide; asked before each bind. */
  readonly isCurrent: () => boolean;
}

/** Tries the pods in their order. Binds go on beside the next attempts. Never throws: an error is the pod's own result. */
export const placePods = async (
  deps: SchedulerDeps,
  state: SchedulerState,
  { due, ...part }: Part,
): Promise<void> => {
  const inFlight = createInFlight(deps.podsAtOnce ?? CONCURRENCY);
  const run = { deps, state, attempts: createAttempts(state, deps.ids), inFlight, ...part };
  for (const waiting of due) {
    await deps.pause?.();
    await placeOne(run, waiting).catch((error: unknown) => failed(run, waiting, error));
  }
  await inFlight.all();
};
