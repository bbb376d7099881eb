/** Repeats work; a round begins when the one before it is over. Returns what ends that. Keeps no process alive. */
export const every = (
  ms: number,
  work: () => Promise<void>,
  report: (error: unknown) => void,
): (() => void) => {
  let isBusy = false;
  const timer = setInterval(() => {
    if (isBusy) return;
    isBusy = true;
    void work()
      .catch(report)
      .finally(() => {
        isBusy = false;
      });
  }, ms);
  timer.unref();
  return () => clearInterval(timer);
};
