import type { EpochMs } from '../../../kube/values/time.ts';
import type { MachineTime } from '../../../ports/process/clock.ts';
import type { Database } from '../file/database.ts';

/** When this process, or an earlier one, was alive. */
export interface Alive {
  /** Call it each second: stores that the process was alive at `now`, with the time since boot. */
  keepAlive(now: EpochMs, machine?: MachineTime): void;
  /**
   * The instant (ms) of the last `keepAlive`, also by an earlier process; `undefined` if there was none. Read it before the first
   * `keepAlive`.
   */
  lastAlive(): EpochMs | undefined;
  /** The time since boot as of the last `keepAlive`; `undefined` if it had none. */
  lastMachineTime(): MachineTime | undefined;
}

interface AliveColumns {
  readonly at: EpochMs;
  readonly uptime: number | null;
  readonly boot: string | null;
}

/** Signs of life in the file of the beats, so that a power failure cannot keep the instant and lose the beats before it. */
export const createAlive = (heartbeats: Database): Alive => {
  const read = heartbeats.prepare<AliveColumns>('SELECT at, uptime, boot FROM alive');
  const put = heartbeats.prepare('INSERT OR REPLACE INTO alive (id, at, uptime, boot) VALUES (1, ?, ?, ?)');
  return {
    lastAlive: () => read.get()?.at,
    keepAlive: (now, machine) => put.run(now, machine?.uptimeMs ?? null, machine?.bootId ?? null),
    lastMachineTime: () => {
      const { uptime, boot } = read.get() ?? {};
      if (typeof uptime !== 'number') return undefined;
      return { uptimeMs: uptime, ...(typeof boot === 'string' ? { bootId: boot } : {}) };
    },
  };
};
