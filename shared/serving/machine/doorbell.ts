import { setImmediate as turn } from 'node:timers/promises';

/** A wait that another part of the program can end early. */
export interface Doorbell {
  /** Ends the current wait, or the next one if there is none. */
  ring(): void;
  /** Resolves after `ms` milliseconds, or when `ring` is called: not before the next turn of the event loop. */
  wait(ms: number): Promise<void>;
}

export const createDoorbell = (): Doorbell => {
  let hasRung = false;
  let wake: (() => void) | undefined;
  return {
    ring: () => {
      hasRung = true;
      wake?.();
    },
    wait: async (ms) => {
      if (!hasRung)
        await new Promise<void>((resolve) => {
          const timer = setTimeout(resolve, ms);
          wake = () => {
            clearTimeout(timer);
            resolve();
          };
        });
      wake = undefined;
      // Whoever is rung all the time would let nothing else run.
      if (hasRung) await turn();
      hasRung = false;
    },
  };
};
