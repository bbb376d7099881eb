/** When a pod that has failed is replaced. Kubernetes keeps its back-off in memory; here it follows from the pods. */
import type { Pod } from '../../../kube/types/core.ts';
import { type BackOffDelays, backOff } from '../../../kube/values/back-off.ts';
import type { EpochMs } from '../../../kube/values/time.ts';
import { parseTime } from '../../../kube/values/time.ts';
import { failuresBefore } from './daemon-place.ts';

const REPLACE: BackOffDelays = { firstMs: 1_000, mostMs: 15 * 60_000 };
/** A pod that was there for this much longer (ms) than it had to wait has not failed at once: the count begins anew. */
const GRACE_MS = 10_000;

const createdAt = ({ metadata }: Pod): EpochMs => parseTime(metadata.creationTimestamp ?? '') ?? 0;

const waitMs = (pod: Pod): number => backOff(REPLACE, failuresBefore(pod));

/** When the failed pod may be deleted (ms): 1 s after it was created, doubled by each failure before it, at most 15 min (W-113). */
export const replaceableAt = (pod: Pod): EpochMs => createdAt(pod) + waitMs(pod);

/** The failures in a row that the pod after this failed one has before it, when it is made at `now` (ms) (W-113). */
export const failuresAfter = (pod: Pod, now: EpochMs): number =>
  now < createdAt(pod) + 2 * waitMs(pod) + GRACE_MS ? failuresBefore(pod) + 1 : 0;
