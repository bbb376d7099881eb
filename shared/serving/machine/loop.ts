/** Work that is repeated while the host runs. */
export interface Loop {
  /** Starts no further run; resolves when the current run has ended. Its failure is not told: what it needs may be closed. */
  stop(): Promise<void>;
}

/** What a loop does, and how often. */
export interface LoopOptions {
  readonly everyMs: number;
  /** Milliseconds until the first run; default `everyMs`. */
  readonly firstMs?: number;
  readonly work: () => unknown;
  readonly onError: (error: unknown) => void;
}

/** Runs `work` repeatedly, never twice at once. A failure goes to `onError` and does not stop the loop. */
export const startLoop = ({ everyMs, firstMs = everyMs, work, onError }: LoopOptions): Loop => {
  let isStopped = false;
  let running: Promise<void> = Promise.resolve();
  const run = async (): Promise<void> => {
    const startedAt = performance.now();
    try {
      await work();
    } catch (error) {
      if (!isStopped) onError(error);
    }
    plan(Math.max(0, everyMs - (performance.now() - startedAt)));
  };
  const plan = (ms: number): void => {
    if (isStopped) return;
    timer = setTimeout(() => {
      running = run();
    }, ms);
  };
  let timer: NodeJS.Timeout | undefined;
  plan(firstMs);
  return {
    stop: () => {
      isStopped = true;
      clearTimeout(timer);
      return running;
    },
  };
};

/** Stops loops at the same time. Resolves when their runs have ended, or after `withinMs`. */
export const stopAll = async (loops: readonly Loop[], withinMs: number): Promise<void> => {
  const { promise: late, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, withinMs);
  await Promise.race([Promise.all(loops.map((loop) => loop.stop())), late]);
  clearTimeout(timer);
};
