/** How long a Job waits before it makes pods again. Source: kubernetes v1.34 pkg/controller/job `backoff_utils.go`. */
import type { Pod } from '../../../kube/types/core.ts';
import { READY } from '../../../kube/types/well-known.ts';
import { type BackOffDelays, backOff } from '../../../kube/values/back-off.ts';
import type { EpochMs } from '../../../kube/values/time.ts';
import { parseTime } from '../../../kube/values/time.ts';

/** Ms after the first failure; twice as many after each further one. */
const RETRY: BackOffDelays = { firstMs: 10_000, mostMs: 600_000 };

interface ContainerStatus {
  readonly state?: { readonly terminated?: { readonly finishedAt?: string } };
}

const latest = (times: readonly (string | undefined)[]): EpochMs | undefined => {
  const found = times.flatMap((time) => (time === undefined ? [] : (parseTime(time) ?? [])));
  return found.length === 0 ? undefined : found.reduce((most, one) => Math.max(most, one));
};

/** When the pod has ended, as well as it is known (ms). */
export const finishedAt = ({ metadata, status }: Pod): EpochMs => {
  const containers = (status?.['containerStatuses'] ?? []) as readonly ContainerStatus[];
  const ends = containers.map(({ state }) => state?.terminated?.finishedAt);
  const notReady = status?.conditions?.find((one) => one.type === READY && one.status === 'False');
  const { deletionTimestamp, deletionGracePeriodSeconds = 0, creationTimestamp } = metadata;
  const deletion = latest([deletionTimestamp]);
  return (
    latest(ends.includes(undefined) ? [] : ends) ??
    latest([notReady?.lastTransitionTime]) ??
    (deletion === undefined ? undefined : deletion - deletionGracePeriodSeconds * 1000) ??
    latest([creationTimestamp]) ??
    0
  );
};

const delayOf = (failures: number): number => backOff(RETRY, failures - 1);

/**
 * When the Job may make pods again (ms): after the failures since the last success, of the pods that are there (W-168, D-114).
 */
export const mayCreateAt = (failed: readonly Pod[], succeeded: readonly Pod[]): EpochMs => {
  const since = succeeded.map(finishedAt).reduce((most, at) => Math.max(most, at), Number.NEGATIVE_INFINITY);
  const failures = failed.map(finishedAt).filter((at) => at > since);
  if (failures.length === 0) return Number.NEGATIVE_INFINITY;
  return failures.reduce((most, at) => Math.max(most, at)) + delayOf(failures.length);
};

/** When an index may be tried again (ms), by the failures that the last failed pod knows of and that one (W-168). */
export const mayRetryIndexAt = (last: Pod, failuresBefore: number): EpochMs =>
  finishedAt(last) + delayOf(failuresBefore + 1);
