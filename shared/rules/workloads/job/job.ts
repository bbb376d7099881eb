/** What a Job does. Source: kubernetes v1.34 pkg/controller/job `syncJob`. */

import { deepEqual } from '../../../kube/json/deep-equal.ts';
import type { Pod } from '../../../kube/types/core.ts';
import type { Condition } from '../../../kube/types/meta.ts';
import type { Job } from '../../../kube/types/workloads.ts';
import { optional } from '../../../kube/values/optional.ts';
import { type EpochMs, earliest, parseTime, toTime } from '../../../kube/values/time.ts';
import { isPodReady } from '../../pods/pod-conditions.ts';
import type { ChildEvent } from '../children/child-events.ts';
import { countPods, type JobCounts, uidOf } from './job-counts.ts';
import { deadlineOf, type Goal, goalOf, jobCondition } from './job-end.ts';
import { failureVerdict } from './job-failure-policy.ts';
import { indexesText } from './job-indexes.ts';
import { type JobChange, manageJob } from './job-manage.ts';
import { hasFailed, indexOf, isTracked } from './job-pods.ts';
import { endOf, isIndexed, isSuspended, type JobStatus, jobStatusOf, ttlSecondsOf } from './job-spec.ts';

/** The most pods whose counting is under way at a time, so that the status stays small. Kubernetes: `MaxUncountedPods`. */
const MOST_UNCOUNTED = 500;

/** What a Job does at an instant, in this order. */
export interface JobDecision {
  /** Pods to make, and active pods to take away without counting them. */
  readonly change: JobChange;
  /** To be written before anything below, if the Job is as it was read. */
  readonly status: JobStatus;
  /** Active pods that go because the Job ends. */
  readonly end: readonly Pod[];
  /** Pods to let go of: the status knows all that has to be known of them. */
  readonly untrack: readonly Pod[];
  readonly events: readonly ChildEvent[];
  /** When something will have changed by time alone (ms). */
  readonly wakeAt?: EpochMs;
  /** Whether the Job has outlived its end for long enough, and is to be deleted. */
  readonly isExpired: boolean;
}

const NO_CHANGE: JobChange = { create: [], drop: [] };

/** A Job that has ended lets go of its pods, and goes after a while (W-174). */
const afterEnd = (
  job: Job,
  pods: readonly Pod[],
  { lastTransitionTime }: Condition,
  now: EpochMs,
): JobDecision => {
  const [status, seconds] = [jobStatusOf(job), ttlSecondsOf(job)];
  const endedAt = parseTime(status.completionTime ?? lastTransitionTime ?? '');
  const goesAt = seconds === undefined || endedAt === undefined ? undefined : endedAt + seconds * 1000;
  return {
    change: NO_CHANGE,
    status,
    end: [],
    untrack: pods.filter(isTracked),
    events: [],
    ...(goesAt === undefined || job.metadata.deletionTimestamp !== undefined ? {} : { wakeAt: goesAt }),
    isExpired: goesAt !== undefined && now >= goesAt && job.metadata.deletionTimestamp === undefined,
  };
};

/** Tracked pods whose counting may end: all of them if the Job ends, else those that have ended and are not to be `kept` (W-162, W-176). */
const countable = (
  job: Job,
  pods: readonly Pod[],
  lastFailed: readonly Pod[],
  goal: Goal | undefined,
): readonly Pod[] => {
  const kept = new Set(lastFailed.map(uidOf));
  const isOver = goal !== undefined || job.metadata.deletionTimestamp !== undefined;
  return pods.filter((pod) => {
    if (!isTracked(pod)) return false;
    if (isOver || pod.status?.phase === 'Succeeded') return true;
    return hasFailed(job, pod) && !kept.has(uidOf(pod));
  });
};

/** How the pod counts; `undefined`: not at all. When a Job fails, its active pods have failed. */
const countsAs = (job: Job, pod: Pod, goal: Goal | undefined): 'succeeded' | 'failed' | undefined => {
  const isThere = !isIndexed(job) || indexOf(job, pod) !== undefined;
  // The index says that it has succeeded.
  if (pod.status?.phase === 'Succeeded') return isIndexed(job) ? undefined : 'succeeded';
  if (!isThere || !(hasFailed(job, pod) || goal?.type === 'FailureTarget')) return undefined;
  return failureVerdict(job, pod).action === 'Ignore' ? undefined : 'failed';
};

const uncountedAfter = (job: Job, { tally }: JobCounts, pods: readonly Pod[], goal: Goal | undefined) => {
  const [succeeded, failed] = [new Set(tally.uncounted.succeeded), new Set(tally.uncounted.failed)];
  for (const pod of pods) {
    const [uid, as] = [uidOf(pod), countsAs(job, pod, goal)];
    if (as === 'succeeded' && !failed.has(uid)) succeeded.add(uid);
    if (as === 'failed' && !succeeded.has(uid)) failed.add(uid);
  }
  return { succeeded: [...succeeded], failed: [...failed] };
};

const withCondition = (conditions: readonly Condition[], next: Condition): readonly Condition[] => {
  const before = conditions.find(({ type }) => type === next.type);
  if (!before) return [...conditions, next];
  if (before.status === next.status && before.reason === next.reason) return conditions;
  return conditions.map((one) => (one === before ? next : one));
};

interface Suspension {
  readonly conditions: readonly Condition[];
  readonly startTime?: string;
  readonly events: readonly ChildEvent[];
}

/** The condition `Suspended`, and the start of the Job: a Job that is resumed starts anew (W-173). */
const suspensionOf = (job: Job, isOpen: boolean, now: EpochMs): Suspension => {
  const { conditions = [], startTime } = jobStatusOf(job);
  const isOn = isSuspended(job);
  const before = conditions.find(({ type }) => type === 'Suspended');
  const start = startTime ?? (isOn ? undefined : toTime(now));
  const unchanged = { conditions, ...optional('startTime', start), events: [] };
  if (!isOpen || (before?.status === 'True') === isOn) return unchanged;
  const [reason, message] = isOn ? ['JobSuspended', 'Job suspended'] : ['JobResumed', 'Job resumed'];
  const next: Condition = {
    ...jobCondition('Suspended', reason, message, now),
    status: isOn ? 'True' : 'False',
  };
  return {
    conditions: withCondition(conditions, next),
    ...(isOn ? (startTime === undefined ? {} : { startTime }) : { startTime: toTime(now) }),
    events: [{ type: 'Normal', reason: isOn ? 'Suspended' : 'Resumed', message }],
  };
};

const finalCondition = ({ type, reason = '', message = '' }: Goal, now: EpochMs): Condition =>
  jobCondition(type === 'FailureTarget' ? 'Failed' : 'Complete', reason, message, now);

const endEvents = (
  job: Job,
  { type, reason = '', message = '' }: Condition,
  succeeded: number,
): readonly ChildEvent[] => {
  if (type === 'Failed') return [{ type: 'Warning', reason, message }];
  const done: ChildEvent = { type: 'Normal', reason: 'Completed', message: 'Job completed' };
  if (job.spec?.completions === undefined || succeeded <= job.spec.completions) return [done];
  const message2 = 'Too many succeeded pods running after completion count reached';
  return [{ type: 'Warning', reason: 'TooManySucceededPods', message: message2 }, done];
};

const numbersOf = (job: Job, counts: JobCounts, active: readonly Pod[], terminating: number) => {
  const { tally, succeededIndexes, failedIndexes } = counts;
  const succeeded = isIndexed(job) ? succeededIndexes.size : tally.succeeded;
  const completed = isIndexed(job) ? indexesText(succeededIndexes) : '';
  return {
    ...(active.length === 0 ? {} : { active: active.length }),
    ready: active.filter(isPodReady).length,
    terminating,
    ...(succeeded === 0 ? {} : { succeeded }),
    ...(tally.failed === 0 ? {} : { failed: tally.failed }),
    ...(completed === '' ? {} : { completedIndexes: completed }),
    ...(job.spec?.backoffLimitPerIndex === undefined ? {} : { failedIndexes: indexesText(failedIndexes) }),
  };
};

const uncountedField = ({
  succeeded,
  failed,
}: {
  readonly succeeded: readonly string[];
  readonly failed: readonly string[];
}) => ({
  uncountedTerminatedPods: {
    ...(succeeded.length === 0 ? {} : { succeeded }),
    ...(failed.length === 0 ? {} : { failed }),
  },
});

/** What a Job's decision needs to know besides the Job and its pods. */
interface Surroundings {
  /** Its namespace is being deleted: no pod can be made any more. */
  readonly isNamespaceGoing: boolean;
}

/** Decides at `now` (ms) what a Job does that controls these pods (W-160 to W-176). */
export const decideJob = (
  job: Job,
  pods: readonly Pod[],
  now: EpochMs,
  { isNamespaceGoing }: Surroundings = { isNamespaceGoing: false },
): JobDecision => {
  const ended = endOf(jobStatusOf(job));
  if (ended) return afterEnd(job, pods, ended, now);
  const counts = countPods(job, pods);
  const goal = goalOf(job, pods, counts, now);
  const isOpen = !goal && job.metadata.deletionTimestamp === undefined && !isNamespaceGoing;
  const change = isOpen ? manageJob(job, pods, counts, now) : NO_CHANGE;
  const untrack = countable(job, pods, isNamespaceGoing ? [] : [...counts.lastFailed.values()], goal).slice(
    0,
    MOST_UNCOUNTED,
  );
  const picked = new Set(untrack);
  const end = goal ? counts.active.filter((pod) => !isTracked(pod) || picked.has(pod)) : [];
  const going = new Set([...end, ...change.drop]);
  const active = [...counts.active.filter((pod) => !going.has(pod)), ...change.create];
  const terminating = counts.terminating + going.size;
  const uncounted = uncountedAfter(job, counts, untrack, goal);
  const { conditions, startTime, events } = suspensionOf(job, isOpen, now);
  const isQuiet = uncounted.succeeded.length + uncounted.failed.length + terminating + untrack.length === 0;
  const final = goal && isQuiet ? finalCondition(goal, now) : undefined;
  const all = [goal, final].reduce<readonly Condition[]>(
    (list, one) => (one ? withCondition(list, one) : list),
    conditions,
  );
  const wakeAt = goal
    ? undefined
    : earliest([change.wakeAt, deadlineOf({ ...job, status: { ...job.status, startTime } })]);
  return {
    change,
    status: {
      ...numbersOf(job, counts, active, terminating),
      ...optional('startTime', startTime),
      ...(final?.type === 'Complete' ? { completionTime: toTime(now) } : {}),
      ...uncountedField(uncounted),
      ...(all.length === 0 ? {} : { conditions: all }),
    },
    end,
    untrack,
    events: [...events, ...(final ? endEvents(job, final, counts.succeeded) : [])],
    ...optional('wakeAt', wakeAt),
    isExpired: false,
  };
};

/** The Job with this status; the same object if it has it. */
export const withJobStatus = (job: Job, status: JobStatus): Job =>
  deepEqual(status, job.status) ? job : { ...job, status: { ...status } };
