import type { EpochMs } from '../../kube/values/time.ts';

/** The control plane's clock. It includes waiting, so that a virtual clock can skip waits. */
export interface Clock {
  /** The current time, in milliseconds since the Unix epoch. */
  now(): EpochMs;
  /** Resolves after `ms` milliseconds; immediately for 0 or less. */
  sleep(ms: number): Promise<void>;
}

/**
 * A clock that keeps running evenly when the machine's clock is set. Its owner shifts the stored instants by `step()` and
 * calls `follow()` in the same turn of the event loop, so that no code sees only one of the two.
 */
export interface SteadyClock extends Clock {
  /** Milliseconds by which the machine's clock was set forward since the last `follow`; negative: back; 0: not set. */
  step(): number;
  /** Adopts the machine's clock from now on. */
  follow(): void;
}

/** Time since boot, which setting the clock does not change. */
export interface MachineTime {
  /** Milliseconds since the machine started, including sleep. */
  readonly uptimeMs: number;
  /** Id of this boot; `undefined` if the system does not provide one. */
  readonly bootId?: string;
}
