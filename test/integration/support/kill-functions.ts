/** Ends the processes of functions as a failing machine would: in the middle of whatever they do. */
import { readdirSync, readFileSync } from 'node:fs';
import { kill } from '../../support/shell/kill.ts';

const environmentOf = (pid: string): string => {
  try {
    return readFileSync(`/proc/${pid}/environ`, 'utf8');
  } catch {
    return ''; // The process has ended, or is another user's.
  }
};

/** Of the processes of the LocalStack that this run has started; '' for one that was given. */
const { ROLLCALL_LOCALSTACK_MARK: mark = '' } = process.env;

/**
 * SIGKILL to all execution environments of the functions whose name contains `text`. Returns how many there were; on another emulator
 * than the one that the tests start, none is a process of this machine.
 */
export const killFunctions = (text: string): number => {
  const isFunction = (variable: string): boolean =>
    variable.startsWith('AWS_LAMBDA_FUNCTION_NAME=') && variable.includes(text);
  // Another run on this machine has functions of the same names.
  const isOne = (variables: readonly string[]): boolean =>
    variables.some(isFunction) && (mark === '' || variables.includes(mark));
  const pids = readdirSync('/proc').filter(
    (pid) => /^\d+$/.test(pid) && isOne(environmentOf(pid).split('\0')),
  );
  for (const pid of pids) kill(Number(pid));
  return pids.length;
};
