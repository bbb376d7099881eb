import { printable } from '../../shared/kube/text/printable.ts';
import { type CommandContext, CommandError, reasonOf } from './command.ts';

/** What is behind the message in the stack: the message may have lines of others. */
const framesOf = (error: unknown): string => {
  if (!(error instanceof Error)) return '';
  const { stack = '', message } = error;
  const from = stack.indexOf(message);
  return from < 0 ? '' : stack.slice(from + message.length);
};

/** Prints the error of a command and returns the exit code. Anything but a `CommandError` is a bug and is printed with its stack. */
export const tellFailure = (
  command: string,
  error: unknown,
  { complain }: Pick<CommandContext, 'complain'>,
): number => {
  if (!(error instanceof CommandError)) {
    complain(`${command}: unexpected error: ${printable(reasonOf(error))}${framesOf(error)}`);
    return 1;
  }
  if (!error.isTold) complain(`${command}: ${error.message}`);
  return error.exitCode;
};

/** Whether the argument asks for the description of a command. */
export const isHelp = (arg: string | undefined): boolean => ['--help', '-h'].includes(arg ?? '');
