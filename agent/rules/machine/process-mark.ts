/** A process, told apart from a later one with the same number. */
export interface ProcessMark {
  readonly pid: number;
  /** Clock ticks between the machine's start and the process's. */
  readonly startTime: string;
}

/** The text of a file that names one: `<pid> <start time>`. `undefined`: it is not whole. */
export const markIn = (text: string): ProcessMark | undefined => {
  const [, pid, startTime] = /^(\d+) (\d+)\n$/.exec(text) ?? [];
  return pid === undefined || startTime === undefined ? undefined : { pid: Number(pid), startTime };
};
