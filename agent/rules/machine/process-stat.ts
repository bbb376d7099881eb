/** `/proc/PID/stat`. Source: proc(5). */

export interface ProcessStat {
  /** Such as `R`; `Z`: it has ended, and its parent has not asked for its exit code. */
  readonly state: string;
  readonly session: number;
  /** Clock ticks between the machine's start and the process's. */
  readonly startTime: string;
}

/** `undefined` if the text is not whole. The name of the program stands in parentheses and may contain some. */
export const processStatIn = (text: string): ProcessStat | undefined => {
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  const [state, , , session] = fields;
  const startTime = fields[19];
  if (!state || session === undefined || startTime === undefined) return undefined;
  return { state, session: Number(session), startTime };
};
