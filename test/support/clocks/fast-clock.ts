import { setTimeout as wait } from 'node:timers/promises';
import type { Clock } from '../../../shared/ports/process/clock.ts';

/** A clock that is `factor` times as fast as the real one, for what does real input and output. */
export const createFastClock = (factor: number): Clock => {
  const [start, startedAt] = [Date.now(), performance.now()];
  return {
    now: () => Math.floor(start + (performance.now() - startedAt) * factor),
    sleep: async (ms) => {
      if (ms > 0) await wait(ms / factor);
    },
  };
};
