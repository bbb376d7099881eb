/** How long a pod rests after an attempt that failed. Source: kubernetes v1.34 scheduler `podInitialBackoffSeconds`, `podMaxBackoffSeconds`. */
import { type BackOffDelays, backOff } from '../../kube/values/back-off.ts';
import type { EpochMs } from '../../kube/values/time.ts';

const AFTER_ATTEMPT: BackOffDelays = { firstMs: 1_000, mostMs: 10_000 };
/** The bind of a pod that had a place was refused because somebody else was faster. Nothing of that is Kubernetes'. */
const AFTER_REFUSAL: BackOffDelays = { ...AFTER_ATTEMPT, firstMs: 50 };

/** Until when (ms) a pod rests after its n-th attempt failed at `now`: 1 s, 2 s, 4 s, 8 s, then 10 s. `attempts` is at least 1. */
export const restsUntil = (attempts: number, now: EpochMs): EpochMs =>
  now + backOff(AFTER_ATTEMPT, attempts - 1);

/** The same after the n-th bind that was refused in a row: 50 ms, 100 ms … 10 s. */
export const refusedUntil = (refusals: number, now: EpochMs): EpochMs =>
  now + backOff(AFTER_REFUSAL, refusals - 1);

/** Whether a pod still rests at `now`. An instant that is further away than any rest was stored before the clock was set back. */
export const isResting = (until: EpochMs, now: EpochMs): boolean =>
  until > now && until - now <= AFTER_ATTEMPT.mostMs;
