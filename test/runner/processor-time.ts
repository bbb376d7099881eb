/** Processor time of processes: of those that a shell waited for, and of those that carry a mark in their environment. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';

/** Of `/proc/<pid>/stat`, on every Linux that Node.js runs on. */
const TICKS_PER_SECOND = 100;
/** Places in `/proc/<pid>/stat` after the name of the program: own time in the program and in the kernel, and that of ended children. */
const [OWN, END] = [11, 15];

const textOf = (path: string): string => {
  try {
    return readFileSync(path, 'latin1');
  } catch {
    return ''; // The process has ended, or is another user's.
  }
};

/** Seconds of a process and of the children that it has waited for, by its `/proc/<pid>/stat`. */
export const secondsIn = (stat: string): number => {
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const ticks = fields.slice(OWN, END).reduce((sum, field) => sum + Number(field), 0);
  return ticks / TICKS_PER_SECOND;
};

/**
 * Seconds so far of all living processes that were started with one of these variables (`NAME=value`), and of the processes
 * that they have waited for. 0 on systems without `/proc`.
 */
export const markedSeconds = (marks: readonly string[]): number => {
  const pids = existsSync('/proc') ? readdirSync('/proc').filter((name) => /^\d+$/.test(name)) : [];
  const isMarked = (pid: string): boolean =>
    textOf(`/proc/${pid}/environ`)
      .split('\0')
      .some((variable) => marks.includes(variable));
  return pids.filter(isMarked).reduce((sum, pid) => sum + secondsIn(textOf(`/proc/${pid}/stat`)), 0);
};

const secondsOfTime = (text: string): number => {
  const [minutes = '0', seconds = '0'] = text.split('m');
  return 60 * Number(minutes) + Number.parseFloat(seconds);
};

/** Seconds of the children of a shell, by what its `times` prints: a line for itself, and one for them. */
export const secondsOfTimes = (printed: string): number => {
  const [, children = ''] = printed.split('\n');
  return children
    .split(' ')
    .filter((text) => text !== '')
    .reduce((sum, text) => sum + secondsOfTime(text), 0);
};
