import type { EpochMs } from '../../../shared/kube/values/time.ts';

/** The machine's time. */
export interface Clock {
  /** Wall time. Setting the machine's clock steps it. */
  now(): EpochMs;
  /** Milliseconds since some instant of the past; never steps. */
  uptime(): number;
  /** Resolves after `ms` milliseconds of uptime, after 24 days at the latest, or when `early` aborts, and leaves nothing behind; at once for 0 or less. */
  sleep(ms: number, early?: AbortSignal): Promise<void>;
}
