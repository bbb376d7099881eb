/** Pods whose storage does not let itself be measured. A kubelet counts what it does not know as nothing. */
import type { Pod } from '../../../shared/kube/types/core.ts';
import type { PodStats } from '../stats/summary.ts';
import type { EvictionEvent } from './evicted-pod.ts';
import { containersAmount, quantityIn, volumesOf } from './pod-spec.ts';
import type { EvictionSignal } from './thresholds/signals.ts';

/** Measurements in a row that may fail. */
const MOST_TIMES = 3;

const limitedBy = (pod: Pod): EvictionSignal | undefined => {
  const hasLimit = volumesOf(pod).some(
    ({ emptyDir }) => (quantityIn(emptyDir, 'sizeLimit')?.nano ?? 0n) > 0n,
  );
  if (hasLimit) return 'emptydirfs.limit';
  return (containersAmount(pod, 'ephemeral-storage', 'limits') ?? 0) > 0 ? 'ephemeralpodfs.limit' : undefined;
};

/** Why a pod with a limit of storage is evicted; `undefined` if its storage is known, or was a short time ago. */
export const unmeasuredFault = (
  pod: Pod,
  { unmeasured = 0 }: PodStats,
): { readonly signal: EvictionSignal; readonly message: string } | undefined => {
  const signal = unmeasured < MOST_TIMES ? undefined : limitedBy(pod);
  return (
    signal && {
      signal,
      message: `Usage of local storage, which has a limit, could not be measured ${unmeasured} times in a row. `,
    }
  );
};

/** Tells of pods whose storage has become unknown. `told`: the uids of those that were told before. */
export const unmeasuredPods = (
  stats: readonly PodStats[],
  told: ReadonlySet<string>,
): { readonly uids: ReadonlySet<string>; readonly toTell: ReadonlySet<string> } => {
  const uids = new Set(stats.flatMap(({ unmeasured, podRef }) => (unmeasured ? [podRef.uid] : [])));
  return { uids, toTell: new Set([...uids].filter((uid) => !told.has(uid))) };
};

export const UNMEASURED_EVENT: EvictionEvent = {
  type: 'Warning',
  reason: 'StorageNotMeasured',
  message:
    'What the pod stores could not be measured within 60 seconds, or could not be read: it is unknown. A pod with a limit of storage is evicted when this happens three times in a row',
};
