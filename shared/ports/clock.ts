import type { EpochMs } from '../api/time.ts';

/** The control plane's clock. Waiting is part of it, so that a virtual clock can skip the wait. */
export interface Clock {
  now(): EpochMs;
  /** Resolves after `ms` milliseconds; at once for values of 0 or less. */
  sleep(ms: number): Promise<void>;
}

/**
 * A clock that goes on evenly while somebody sets the machine's clock. Its owner moves the stored instants by `step()` and
 * calls `follow()` in the same turn, so that nobody sees the one without the other.
 */
export interface SteadyClock extends Clock {
  /** Milliseconds by which the machine's clock was set forward since the last `follow`; negative: back; 0: not set. */
  step(): number;
  /** From here on as the machine's clock. */
  follow(): void;
}

/** Time that nobody can set. */
export interface MachineTime {
  /** Milliseconds since the machine started, those that it slept included. */
  readonly uptimeMs: number;
  /** Names this start of the machine; `undefined` where the system has no name for it. */
  readonly bootId?: string;
}
