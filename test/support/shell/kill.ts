/** A signal, SIGKILL without another one, to a process or, by a negative number, to a group. One that has ended meanwhile, often with another one of the same list, is no error. */
export const kill = (pid: number, signal: NodeJS.Signals = 'SIGKILL'): void => {
  try {
    process.kill(pid, signal);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
};
