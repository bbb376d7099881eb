/** `rollcall <command>`: finds the command and prints what went wrong. */
import type { CommandContext } from './command.ts';
import { CommandError } from './command.ts';
import { processContext } from './process-context.ts';
import { SIMULATE_USAGE, simulateCommand } from './simulate.ts';
import { TOKEN_USAGE, tokenCommand } from './token.ts';

interface Command {
  readonly summary: string;
  readonly usage: string;
  readonly run: (args: readonly string[], context: CommandContext) => Promise<void>;
}

const COMMANDS: Readonly<Record<string, Command>> = {
  simulate: { summary: 'hours of a fleet in seconds', usage: SIMULATE_USAGE, run: simulateCommand },
  token: { summary: 'print a token for the API', usage: TOKEN_USAGE, run: tokenCommand },
};

const help = (): string =>
  [
    'Usage: rollcall <command> [options]',
    '',
    'Commands:',
    ...Object.entries(COMMANDS).map(([name, { summary }]) => `  ${name.padEnd(12)}${summary}`),
    '',
    'rollcall <command> --help tells more about a command.',
  ].join('\n');

const runCommand = async (
  name: string,
  args: readonly string[],
  context: CommandContext,
): Promise<number> => {
  const command = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
  if (!command) {
    context.complain(`rollcall: there is no command "${name}"\n\n${help()}`);
    return 2;
  }
  if (args.includes('--help') || args.includes('-h')) {
    context.print(command.usage);
    return 0;
  }
  try {
    await command.run(args, context);
    return 0;
  } catch (error) {
    if (!(error instanceof CommandError)) throw error;
    context.complain(`rollcall ${name}: ${error.message}`);
    return error.exitCode;
  }
};

/** Runs a command line; returns the exit code: 0 done, 1 failed, 2 not understood. */
export const main = async (
  args: readonly string[],
  context: CommandContext = processContext,
): Promise<number> => {
  const [name, ...rest] = args;
  if (name !== undefined && !['--help', '-h', 'help'].includes(name)) return runCommand(name, rest, context);
  context.print(help());
  return name === undefined ? 2 : 0;
};
