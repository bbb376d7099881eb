/** Processor milliseconds of this process, of all its threads. */
export const cpuMs = (): number => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
};

/** Processor milliseconds of this thread: what holds the event loop, without compiling and collecting beside it. */
export const threadCpuMs = (): number => {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
};

/**
 * The longest turn of the event loop while `work` runs, in processor milliseconds of its thread: what else the machine does is
 * not in it.
 */
export const longestTurnOf = async (work: () => Promise<unknown>): Promise<number> => {
  let [longest, isDone, since] = [0, false, threadCpuMs()];
  const turn = (): void => {
    const now = threadCpuMs();
    longest = Math.max(longest, now - since);
    since = now;
    if (!isDone) setImmediate(turn);
  };
  setImmediate(turn);
  await work();
  isDone = true;
  turn();
  return longest;
};
