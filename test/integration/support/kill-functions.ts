/** Ends the processes of functions as a failing machine would: in the middle of whatever they do. */
import { readdirSync, readFileSync } from 'node:fs';
import { kill } from '../../support/kill.ts';

const environmentOf = (pid: string): string => {
  try {
    return readFileSync(`/proc/${pid}/environ`, 'utf8');
  } catch {
    return ''; // The process has ended, or is another user's.
  }
};

/**
 * SIGKILL to all execution environments of the functions whose name contains `text`. Returns how many there were; on another emulator
 * than the one that the tests start, none is a process of this machine.
 */
export const killFunctions = (text: string): number => {
  const isOne = (variable: string): boolean =>
    variable.startsWith('AWS_LAMBDA_FUNCTION_NAME=') && variable.includes(text);
  const pids = readdirSync('/proc').filter(
    (pid) => /^\d+$/.test(pid) && environmentOf(pid).split('\0').some(isOne),
  );
  for (const pid of pids) kill(Number(pid));
  return pids.length;
};
