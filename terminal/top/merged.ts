/** Work that many changes ask for, done once for all of them. */
export interface Merged {
  /** Asks for it. */
  ask(): void;
  /** It is not done any more. */
  stop(): void;
}

/** Does `work` at most once in `everyMs`, at once if it was not done for that long. */
export const mergedWork = (work: () => void, everyMs: number, now: () => number): Merged => {
  let doneAt = Number.NEGATIVE_INFINITY;
  let planned: NodeJS.Timeout | undefined;
  let isStopped = false;
  const run = (): void => {
    planned = undefined;
    doneAt = now();
    work();
  };
  return {
    ask: () => {
      if (!isStopped) planned ??= setTimeout(run, Math.max(0, Math.min(everyMs, doneAt + everyMs - now())));
    },
    stop: () => {
      isStopped = true;
      clearTimeout(planned);
    },
  };
};
