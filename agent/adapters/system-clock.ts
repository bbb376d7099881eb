/** The clock of the machine. */
import { readFileSync } from 'node:fs';
import { uptime } from 'node:os';
import { setTimeout } from 'node:timers/promises';
import type { MachineTime } from '../domain/node/own-token.ts';
import type { Clock } from '../ports/clock.ts';

/** Goes on while the machine sleeps. */
const uptimeMs = (): number => uptime() * 1000;

/** When `signal` aborts, all that sleep wake up, and nobody sleeps any more. */
export const createSystemClock = (signal: AbortSignal): Clock => ({
  now: () => Date.now(),
  uptime: uptimeMs,
  sleep: async (ms) => {
    if (ms > 0 && !signal.aborted) await setTimeout(ms, undefined, { signal }).catch(() => undefined);
  },
});

const readBootId = (): string => {
  try {
    return readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
  } catch {
    return '';
  }
};

export const machineTime = (): MachineTime => ({ bootId: readBootId(), uptimeMs: uptimeMs() });
