/** When a disk that is not yet where it should be is looked at again. */
import { backOff } from '../../kube/values/back-off.ts';

/** The longest time between two looks at a disk on its way (ms). */
const LONGEST_WAIT_MS = 10_000;
/** The longest time after a failure (ms). Source: external-attacher `retry-interval-max`. */
export const LONGEST_BACK_OFF_MS = 300_000;
/** Looks after which a disk that is still on its way counts as a failure: about a minute. */
const PATIENT_TRIES = 8;

/** Milliseconds until the next look. `tries`: looks in a row that settled nothing; `isFailure`: nothing is on its way. */
export const nextTryMs = (tries: number, isFailure: boolean): number =>
  backOff({ firstMs: 1_000, mostMs: isFailure ? LONGEST_BACK_OFF_MS : LONGEST_WAIT_MS }, tries);

/** Whether somebody should know that the disk is still on its way. */
export const isStuck = (tries: number): boolean => tries >= PATIENT_TRIES;
