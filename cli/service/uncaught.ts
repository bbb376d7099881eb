/** Errors that nothing has caught. */
import type { LocalContext } from '../shell/command.ts';
import { tellFailure } from '../shell/failure.ts';

/** Ends the program with code 1 at such an error, and prints it as the failure of the command. Node would print its text as it came, which may be that of a pod. */
export const endAtUncaught = (command: string, context: Pick<LocalContext, 'complain'>): void => {
  process.on('uncaughtException', (error: unknown) => process.exit(tellFailure(command, error, context)));
};
