/** The clock of the machine. */
import { readFileSync } from 'node:fs';
import { uptime } from 'node:os';
import type { Clock } from '../ports/machine/clock.ts';
import type { MachineTime } from '../rules/registration/own-token.ts';

/** Goes on while the machine sleeps. */
const uptimeMs = (): number => uptime() * 1000;

/** The longest timer of Node; a longer one would end at once. */
const LONGEST_MS = 2 ** 31 - 1;

/** When `signal` aborts, all that sleep wake up, and nobody sleeps any more. */
export const createSystemClock = (signal: AbortSignal): Clock => {
  const sleepers = new Set<() => void>();
  signal.addEventListener('abort', () => {
    for (const wake of sleepers) wake();
  });
  const sleep = (ms: number, early?: AbortSignal): Promise<void> =>
    new Promise((resolve) => {
      const wake = (): void => {
        clearTimeout(timer);
        sleepers.delete(wake);
        early?.removeEventListener('abort', wake);
        resolve();
      };
      const timer = setTimeout(wake, Math.min(ms, LONGEST_MS));
      sleepers.add(wake);
      early?.addEventListener('abort', wake);
    });
  return {
    now: () => Date.now(),
    uptime: uptimeMs,
    sleep: async (ms, early) => {
      if (ms > 0 && !signal.aborted && !early?.aborted) await sleep(ms, early);
    },
  };
};

const readBootId = (): string => {
  try {
    return readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
  } catch {
    return '';
  }
};

export const machineTime = (): MachineTime => ({ bootId: readBootId(), uptimeMs: uptimeMs() });
