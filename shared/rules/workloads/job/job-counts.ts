/** What a Job knows of its pods. Source: kubernetes v1.34 pkg/controller/job `syncJob`, `trackJobStatusAndRemoveFinalizers`. */
import type { Pod } from '../../../kube/types/core.ts';
import type { Job } from '../../../kube/types/workloads.ts';
import { isActive, isLeaving } from '../children/pod-state.ts';
import { finishedAt } from './job-backoff.ts';
import { failureVerdict } from './job-failure-policy.ts';
import { parseIndexes } from './job-indexes.ts';
import { allFailuresBefore, failuresBefore, hasFailed, indexOf, isTracked } from './job-pods.ts';
import { isIndexed, jobStatusOf } from './job-spec.ts';

/** Uids whose counting has begun, and pods that are counted. */
export interface Tally {
  readonly succeeded: number;
  readonly failed: number;
  readonly uncounted: { readonly succeeded: readonly string[]; readonly failed: readonly string[] };
}

/** A Job's pods, counted. */
export interface JobCounts {
  readonly active: readonly Pod[];
  /** Pods that are leaving and have not ended. */
  readonly terminating: number;
  /** The tally of the status, with the pods counted that have let go of their finalizer since. */
  readonly tally: Tally;
  /** Pods that have succeeded and failed, with those whose counting is still to begin. */
  readonly succeeded: number;
  readonly failed: number;
  /** Of an indexed Job. */
  readonly succeededIndexes: ReadonlySet<number>;
  /** Of an indexed Job with a limit for each index. */
  readonly failedIndexes: ReadonlySet<number>;
  /** By index: the failed pod that its next pod has to know. It keeps its finalizer until then. */
  readonly lastFailed: ReadonlyMap<number, Pod>;
}

/** The pod's uid. */
export const uidOf = ({ metadata }: Pod): string => metadata.uid ?? '';

const hasSucceeded = ({ status }: Pod): boolean => status?.phase === 'Succeeded';

/** Whether the pod counts at all: in an indexed Job only with an index. */
const isValid = (job: Job, pod: Pod): boolean => !isIndexed(job) || indexOf(job, pod) !== undefined;

/** Uids in the status whose pods have lost the finalizer are counted; the others wait (W-162). */
const tallyOf = (job: Job, tracked: ReadonlySet<string>): Tally => {
  const { succeeded = 0, failed = 0, uncountedTerminatedPods: uncounted = {} } = jobStatusOf(job);
  const waits = (uids: readonly string[] = []): readonly string[] => uids.filter((uid) => tracked.has(uid));
  const [succeededUids, failedUids] = [waits(uncounted.succeeded), waits(uncounted.failed)];
  return {
    succeeded: succeeded + (uncounted.succeeded ?? []).length - succeededUids.length,
    failed: failed + (uncounted.failed ?? []).length - failedUids.length,
    uncounted: { succeeded: succeededUids, failed: failedUids },
  };
};

const indexesOf = (job: Job, pods: readonly Pod[]): readonly number[] =>
  pods.flatMap((pod) => indexOf(job, pod) ?? []);

const isIndexFailed = (job: Job, pod: Pod): boolean => {
  const { action } = failureVerdict(job, pod);
  if (action === 'FailIndex') return true;
  return action !== 'Ignore' && failuresBefore(pod) >= (job.spec?.backoffLimitPerIndex ?? 0);
};

const failedIndexesOf = (job: Job, failed: readonly Pod[]): ReadonlySet<number> => {
  if (job.spec?.backoffLimitPerIndex === undefined) return new Set();
  const before = parseIndexes(jobStatusOf(job).failedIndexes, job.spec.completions ?? 0);
  return new Set([
    ...before,
    ...indexesOf(
      job,
      failed.filter((pod) => isIndexFailed(job, pod)),
    ),
  ]);
};

const isLater = (pod: Pod, than: Pod | undefined): boolean =>
  !than || (allFailuresBefore(pod) >= allFailuresBefore(than) && finishedAt(pod) >= finishedAt(than));

const lastFailedOf = (
  job: Job,
  failed: readonly Pod[],
  done: ReadonlySet<number>,
): ReadonlyMap<number, Pod> => {
  const last = new Map<number, Pod>();
  if (job.spec?.backoffLimitPerIndex === undefined) return last;
  for (const pod of failed) {
    const index = indexOf(job, pod);
    if (index !== undefined && !done.has(index) && isLater(pod, last.get(index))) last.set(index, pod);
  }
  return last;
};

/** Counts the pods of a Job (W-162 to W-167). */
export const countPods = (job: Job, pods: readonly Pod[]): JobCounts => {
  const tracked = pods.filter(isTracked);
  const tally = tallyOf(job, new Set(tracked.map(uidOf)));
  const { uncounted } = tally;
  const valid = tracked.filter((pod) => isValid(job, pod));
  const failed = valid.filter((pod) => hasFailed(job, pod));
  const newSucceeded = valid.filter((pod) => hasSucceeded(pod) && !uncounted.succeeded.includes(uidOf(pod)));
  const newFailed = failed.filter(
    (pod) => !uncounted.failed.includes(uidOf(pod)) && failureVerdict(job, pod).action !== 'Ignore',
  );
  const active = pods.filter(isActive);
  const succeededIndexes = new Set([
    ...parseIndexes(jobStatusOf(job).completedIndexes, job.spec?.completions ?? 0),
    ...indexesOf(job, newSucceeded),
  ]);
  const failedIndexes = failedIndexesOf(job, failed);
  const done = new Set([...succeededIndexes, ...failedIndexes, ...indexesOf(job, active)]);
  return {
    active,
    terminating: pods.filter(isLeaving).length,
    tally,
    succeeded: isIndexed(job)
      ? succeededIndexes.size
      : tally.succeeded + uncounted.succeeded.length + newSucceeded.length,
    failed: tally.failed + uncounted.failed.length + newFailed.length,
    succeededIndexes,
    failedIndexes,
    lastFailed: lastFailedOf(job, failed, done),
  };
};
