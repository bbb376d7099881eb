/** SIGKILL to a process or, by a negative number, to a group. One that has ended meanwhile, often with another one of the same list, is no error. */
export const kill = (pid: number): void => {
  try {
    process.kill(pid, 'SIGKILL');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
};
