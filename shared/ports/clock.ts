import type { EpochMs } from '../api/time.ts';

/** The control plane's clock. Waiting is part of it, so that a virtual clock can skip the wait. */
export interface Clock {
  now(): EpochMs;
  /** Resolves after `ms` milliseconds; at once for values of 0 or less. */
  sleep(ms: number): Promise<void>;
}
