/** Work that comes again, for as long as the host runs. */
export interface Loop {
  /** No further run begins; resolves when the one in flight has ended. */
  stop(): Promise<void>;
}

export interface LoopOptions {
  readonly everyMs: number;
  /** Milliseconds until the first run; default `everyMs`. */
  readonly firstMs?: number;
  readonly work: () => unknown;
  readonly onError: (error: unknown) => void;
}

/** Runs `work` again and again, never twice at once. A failure is told, and the next run comes all the same. */
export const startLoop = ({ everyMs, firstMs = everyMs, work, onError }: LoopOptions): Loop => {
  let isStopped = false;
  let running: Promise<void> = Promise.resolve();
  const run = async (): Promise<void> => {
    const startedAt = performance.now();
    try {
      await work();
    } catch (error) {
      onError(error);
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
