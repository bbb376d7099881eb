import { type CommandContext, CommandError, reasonOf } from './command.ts';

/** Prints the error of a command and returns the exit code. Anything but a `CommandError` is a bug and is printed with its stack. */
export const tellFailure = (
  command: string,
  error: unknown,
  { complain }: Pick<CommandContext, 'complain'>,
): number => {
  if (!(error instanceof CommandError)) {
    const stack = error instanceof Error ? `\n${error.stack ?? ''}` : '';
    complain(`${command}: unexpected error: ${reasonOf(error)}${stack}`);
    return 1;
  }
  if (!error.isTold) complain(`${command}: ${error.message}`);
  return error.exitCode;
};

/** Whether the argument asks for the description of a command. */
export const isHelp = (arg: string | undefined): boolean => ['--help', '-h'].includes(arg ?? '');
