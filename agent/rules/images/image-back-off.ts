/**
 * How long the image of a pod is not asked for again after a pull that failed: 10 s, then twice as long each time, up to 5 minutes.
 * Source: client-go v1.34 util/flowcontrol `Backoff`, as kubernetes v1.34 pkg/kubelet/images uses it.
 */
import { type BackOffDelays, backOff } from '../../../shared/kube/values/back-off.ts';

/** Milliseconds of uptime. */
type Uptime = number;

export interface ImageBackOff {
  readonly waitMs: number;
  /** When the last pull failed. */
  readonly failedAt: Uptime;
  /** How it failed: `reason: message`. */
  readonly fault: string;
}

const PULL: BackOffDelays = { firstMs: 10_000, mostMs: 300_000 };

/** After this time without another failure nothing of it counts. */
const isForgotten = ({ failedAt }: ImageBackOff, now: Uptime): boolean => now - failedAt > 2 * PULL.mostMs;

/** After one more failure. */
export const afterFailure = (before: ImageBackOff | undefined, now: Uptime, fault: string): ImageBackOff => ({
  waitMs:
    before && !isForgotten(before, now) ? backOff({ ...PULL, firstMs: before.waitMs }, 1) : PULL.firstMs,
  failedAt: now,
  fault,
});

/** How long the image is not asked for, from now on, in milliseconds; 0: it may be. */
export const waitOf = (backOff: ImageBackOff | undefined, now: Uptime): number =>
  backOff ? Math.max(0, backOff.failedAt + backOff.waitMs - now) : 0;

/** Those that still count. */
export const remembered = (
  all: ReadonlyMap<string, ImageBackOff>,
  now: Uptime,
): ReadonlyMap<string, ImageBackOff> => new Map([...all].filter(([, one]) => !isForgotten(one, now)));
