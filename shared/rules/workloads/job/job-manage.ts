/** Which pods a running Job makes and takes away. Source: kubernetes v1.34 pkg/controller/job `manageJob`. */
import type { Pod } from '../../../kube/types/core.ts';
import type { Job } from '../../../kube/types/workloads.ts';
import type { EpochMs } from '../../../kube/values/time.ts';
import { isEndingWithNode } from '../../pods/end-mark.ts';
import { inScaleDownOrder } from '../replica-set/scale-down-order.ts';
import { mayCreateAt, mayRetryIndexAt } from './job-backoff.ts';
import type { JobCounts } from './job-counts.ts';
import { allFailuresBefore, hasFailed, indexOf, isTracked, jobPod } from './job-pods.ts';
import { isIndexed, isSuspended, replacesFailedOnly } from './job-spec.ts';

/** The most pods that one decision makes or takes away. Kubernetes: `MaxPodCreateDeletePerSync`. */
const MOST_PODS = 500;

/** Pods to make and to take away without counting them. */
export interface JobChange {
  readonly create: readonly Pod[];
  readonly drop: readonly Pod[];
  /** When pods may be made that may not yet (ms). */
  readonly wakeAt?: EpochMs;
}

/** How many pods shall be active (W-160). */
const wantedActive = ({ spec }: Job, { active, succeeded }: JobCounts): number => {
  const parallelism = spec?.parallelism ?? 1;
  if (spec?.completions === undefined) return succeeded > 0 ? active.length : parallelism;
  return Math.max(0, Math.min(parallelism, spec.completions - succeeded));
};

/** Active pods without a valid index, or whose index another one has (W-165). */
const misplaced = (job: Job, inOrder: readonly Pod[]): readonly Pod[] => {
  if (!isIndexed(job)) return [];
  const seen = new Set<number>();
  return inOrder.toReversed().filter((pod) => {
    const index = indexOf(job, pod);
    if (index === undefined || seen.has(index)) return true;
    seen.add(index);
    return false;
  });
};

const surplusOf = (job: Job, active: readonly Pod[], atLeast: number, now: EpochMs): readonly Pod[] => {
  const inOrder = inScaleDownOrder(active, [], now);
  const wrong = misplaced(job, inOrder);
  const others = inOrder.filter((pod) => !wrong.includes(pod));
  return [...wrong, ...others.slice(0, Math.max(0, atLeast - wrong.length))];
};

const pendingIndexes = (
  job: Job,
  pods: readonly Pod[],
  counts: JobCounts,
  count: number,
): readonly number[] => {
  const isTaken = (pod: Pod): boolean =>
    replacesFailedOnly(job) &&
    (isEndingWithNode(pod) ||
      (pod.metadata.deletionTimestamp !== undefined && pod.status?.phase !== 'Failed'));
  const taken = new Set(
    [...counts.active, ...pods.filter(isTaken)].flatMap((pod) => indexOf(job, pod) ?? []),
  );
  const found: number[] = [];
  for (let index = 0; index < (job.spec?.completions ?? 0) && found.length < count; index += 1)
    if (!taken.has(index) && !counts.succeededIndexes.has(index) && !counts.failedIndexes.has(index))
      found.push(index);
  return found;
};

const indexedPods = (
  job: Job,
  indexes: readonly number[],
  { lastFailed }: JobCounts,
  now: EpochMs,
): JobChange => {
  const due = indexes.map((index) => {
    const last = lastFailed.get(index);
    return {
      index,
      last,
      at: last ? mayRetryIndexAt(last, allFailuresBefore(last)) : Number.NEGATIVE_INFINITY,
    };
  });
  const create = due.filter(({ at }) => at <= now).map(({ index, last }) => jobPod(job, index, last));
  const later = due.filter(({ at }) => at > now).map(({ at }) => at);
  return { create, drop: [], ...(later.length === 0 ? {} : { wakeAt: Math.min(...later) }) };
};

/** Whether the pod counts for the back-off: one that was taken away does not. */
const isFailure = (job: Job, pod: Pod): boolean =>
  pod.status?.phase === 'Failed' || (isTracked(pod) && hasFailed(job, pod));

const newPods = (
  job: Job,
  pods: readonly Pod[],
  counts: JobCounts,
  count: number,
  now: EpochMs,
): JobChange => {
  const failed = pods.filter((pod) => isFailure(job, pod));
  const succeeded = pods.filter(({ status }) => status?.phase === 'Succeeded');
  const isPerIndex = job.spec?.backoffLimitPerIndex !== undefined;
  const at = isPerIndex ? now : mayCreateAt(failed, succeeded);
  if (at > now) return { create: [], drop: [], wakeAt: at };
  if (isIndexed(job)) return indexedPods(job, pendingIndexes(job, pods, counts, count), counts, now);
  return { create: Array.from({ length: count }, () => jobPod(job)), drop: [] };
};

/** What a Job that goes on does with its pods at `now` (ms) (W-160, W-165, W-168, W-171, W-173). */
export const manageJob = (job: Job, pods: readonly Pod[], counts: JobCounts, now: EpochMs): JobChange => {
  const { active, terminating } = counts;
  if (isSuspended(job)) return { create: [], drop: active };
  const wanted = wantedActive(job, counts);
  const drop = surplusOf(job, active, Math.max(0, active.length - wanted), now).slice(0, MOST_PODS);
  if (drop.length > 0) return { create: [], drop };
  const missing = wanted - active.length - (replacesFailedOnly(job) ? terminating : 0);
  return missing > 0
    ? newPods(job, pods, counts, Math.min(missing, MOST_PODS), now)
    : { create: [], drop: [] };
};
