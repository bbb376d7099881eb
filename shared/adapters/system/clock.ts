import { setTimeout as wait } from 'node:timers/promises';
import type { Clock } from '../../ports/process/clock.ts';

/** The machine's clock. */
export const systemClock: Clock = {
  now: () => Date.now(),
  sleep: async (ms) => {
    if (ms > 0) await wait(ms);
  },
};
