/** `rollcall <command>`: finds the command and prints what went wrong. */
import type { CommandContext } from './command.ts';
import { CommandError } from './command.ts';
import { processContext } from './process-context.ts';

interface Command {
  readonly usage: string;
  readonly run: (args: readonly string[], context: CommandContext) => Promise<void>;
}

interface CommandEntry {
  readonly summary: string;
  /** Only the command that is asked for is loaded. */
  readonly load: () => Promise<Command>;
}

const COMMANDS: Readonly<Record<string, CommandEntry>> = {
  serve: { summary: 'run the control plane on this machine', load: () => import('./serve.ts') },
  outage: { summary: 'silence machines of the demonstration fleet', load: () => import('./outage.ts') },
  restore: { summary: 'let them answer again', load: () => import('./restore.ts') },
  kubeconfig: {
    summary: 'print a kubeconfig for a host of this machine',
    load: () => import('./kubeconfig.ts'),
  },
  proxy: {
    summary: "serve a stack's API at an HTTPS address of this machine",
    load: () => import('./proxy.ts'),
  },
  simulate: { summary: 'hours of a fleet in seconds', load: () => import('./simulate.ts') },
  token: { summary: 'print a token for the API', load: () => import('./token.ts') },
  'rotate-key': {
    summary: 'replace the key that signs tokens, without an outage',
    load: () => import('./rotate-key.ts'),
  },
  backup: { summary: 'copy the state of a host to a file, or back', load: () => import('./backup.ts') },
  config: { summary: 'print the settings of serve as they hold', load: () => import('./config.ts') },
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
  const entry = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
  if (!entry) {
    context.complain(`rollcall: there is no command "${name}"\n\n${help()}`);
    return 2;
  }
  const command = await entry.load();
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
