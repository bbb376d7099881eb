/** Ends or stops the processes of LocalStack as a failing machine would: in the middle of whatever they do. */
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

const processesWith = (isOne: (variables: readonly string[]) => boolean): readonly number[] =>
  readdirSync('/proc')
    .filter((pid) => /^\d+$/.test(pid) && isOne(environmentOf(pid).split('\0')))
    .map(Number);

/** Stops LocalStack as a whole, with its functions; returns what lets it go on, or `undefined` on an emulator that this run has not started. */
export const pauseLocalStack = (): (() => void) | undefined => {
  if (mark === '') return undefined;
  const pids = processesWith((variables) => variables.includes(mark));
  const signal = (name: NodeJS.Signals): void => {
    for (const pid of pids) kill(pid, name);
  };
  signal('SIGSTOP');
  return () => signal('SIGCONT');
};

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
  const pids = processesWith(isOne);
  for (const pid of pids) kill(pid);
  return pids.length;
};
