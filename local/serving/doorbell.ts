/** A wait that can be cut short: whoever has news rings. */
export interface Doorbell {
  /** Ends the present wait, or the next one if nobody waits. */
  ring(): void;
  /** Resolves after `ms` milliseconds, or when somebody rings. */
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
      hasRung = false;
    },
  };
};
