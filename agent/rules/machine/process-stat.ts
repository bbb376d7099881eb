/** `/proc/PID/stat`. Source: proc(5). */

export interface ProcessStat {
  /** Such as `R`; `Z`: it has ended, and its parent has not asked for its exit code. */
  readonly state: string;
  /** The process that made it, or that took it over when that one ended. */
  readonly parent: number;
  readonly session: number;
  /** Clock ticks between the machine's start and the process's. */
  readonly startTime: string;
}

/** `undefined` if the text is not whole. The name of the program stands in parentheses and may contain some. */
export const processStatIn = (text: string): ProcessStat | undefined => {
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  const [state, parent, , session] = fields;
  const startTime = fields[19];
  if (!state || session === undefined || startTime === undefined) return undefined;
  return { state, parent: Number(parent), session: Number(session), startTime };
};
