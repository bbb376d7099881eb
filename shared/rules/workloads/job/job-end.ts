/** Whether and how a Job ends. Source: kubernetes v1.34 pkg/controller/job `syncJob`. */
import type { Pod } from '../../../kube/types/core.ts';
import type { Condition } from '../../../kube/types/meta.ts';
import type { Job } from '../../../kube/types/workloads.ts';
import type { EpochMs } from '../../../kube/values/time.ts';
import { parseTime, toTime } from '../../../kube/values/time.ts';
import type { JobCounts } from './job-counts.ts';
import { failureVerdict, metSuccessRule } from './job-failure-policy.ts';
import { hasFailed } from './job-pods.ts';
import { activeDeadlineSecondsOf, isIndexed, isSuspended, jobStatusOf, trueCondition } from './job-spec.ts';

/** That the Job is going to fail or to complete: its pods are deleted and counted first. */
export type Goal = Condition & { readonly type: 'FailureTarget' | 'SuccessCriteriaMet' };

/** A condition of a Job that is true from `now` on (ms). */
export const jobCondition = <T extends string>(type: T, reason: string, message: string, now: EpochMs) => {
  const time = toTime(now);
  return { type, status: 'True' as const, lastProbeTime: time, lastTransitionTime: time, reason, message };
};

/** When the Job will have been active for too long (ms); `undefined` if never (W-172). */
export const deadlineOf = (job: Job): EpochMs | undefined => {
  const seconds = activeDeadlineSecondsOf(job);
  const start = parseTime(jobStatusOf(job).startTime ?? '');
  return seconds === undefined || start === undefined || isSuspended(job)
    ? undefined
    : start + seconds * 1000;
};

interface ContainerStatus {
  readonly restartCount?: number;
}

/** Restarts of containers count as failures where containers are restarted (W-167). */
const isPastRestarts = ({ spec }: Job, pods: readonly Pod[]): boolean => {
  if (spec?.template?.spec?.['restartPolicy'] !== 'OnFailure') return false;
  const running = pods.filter(({ status }) => status?.phase === 'Running' || status?.phase === 'Pending');
  const statuses = running.flatMap(({ status }) =>
    ['initContainerStatuses', 'containerStatuses'].flatMap(
      (list) => (status?.[list] ?? []) as readonly ContainerStatus[],
    ),
  );
  const restarts = statuses.reduce((sum, { restartCount = 0 }) => sum + restartCount, 0);
  const limit = spec.backoffLimit ?? 6;
  return limit === 0 ? restarts > 0 : restarts >= limit;
};

const policyMessage = (job: Job, pods: readonly Pod[]): string | undefined =>
  pods.flatMap((pod) => (hasFailed(job, pod) ? (failureVerdict(job, pod).message ?? []) : []))[0];

type Reason = readonly [reason: string, message: string];

const indexFailure = ({ spec }: Job, { failedIndexes, succeededIndexes }: JobCounts): Reason | undefined => {
  if (spec?.maxFailedIndexes !== undefined && failedIndexes.size > spec.maxFailedIndexes)
    return ['MaxFailedIndexesExceeded', 'Job has exceeded the specified maximal number of failed indexes'];
  return failedIndexes.size > 0 && failedIndexes.size + succeededIndexes.size >= (spec?.completions ?? 0)
    ? ['FailedIndexes', 'Job has failed indexes']
    : undefined;
};

/** Why the Job fails; the first reason in this order (W-167, W-169, W-172). */
const failureOf = (job: Job, pods: readonly Pod[], counts: JobCounts, now: EpochMs): Reason | undefined => {
  const message = policyMessage(job, pods);
  if (message !== undefined) return ['PodFailurePolicy', message];
  if (counts.failed > (job.spec?.backoffLimit ?? 6) || isPastRestarts(job, pods))
    return ['BackoffLimitExceeded', 'Job has reached the specified backoff limit'];
  const deadline = deadlineOf(job);
  if (deadline !== undefined && now >= deadline)
    return ['DeadlineExceeded', 'Job was active longer than specified deadline'];
  return indexFailure(job, counts);
};

const isComplete = ({ spec }: Job, succeeded: number, active: number): boolean =>
  active === 0 && (spec?.completions === undefined ? succeeded > 0 : succeeded >= spec.completions);

/** Whether the Job is going to end: what its status says already, else what follows from its pods (W-161, W-170). */
export const goalOf = (job: Job, pods: readonly Pod[], counts: JobCounts, now: EpochMs): Goal | undefined => {
  const status = jobStatusOf(job);
  const known = trueCondition(status, 'SuccessCriteriaMet') ?? trueCondition(status, 'FailureTarget');
  if (known) return known as Goal;
  const failure = failureOf(job, pods, counts, now);
  if (failure) return jobCondition('FailureTarget', ...failure, now);
  const rule = isIndexed(job) ? metSuccessRule(job, counts.succeededIndexes) : undefined;
  if (rule !== undefined) return jobCondition('SuccessCriteriaMet', 'SuccessPolicy', rule, now);
  return isComplete(job, counts.succeeded, counts.active.length)
    ? jobCondition(
        'SuccessCriteriaMet',
        'CompletionsReached',
        'Reached expected number of succeeded pods',
        now,
      )
    : undefined;
};
