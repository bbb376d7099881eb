/** `rollcall <command>`: finds the command and prints what went wrong. */
import type { CommandContext } from './shell/command.ts';
import { CommandError } from './shell/command.ts';
import { isHelp, tellFailure } from './shell/failure.ts';
import { nearest } from './shell/nearest.ts';
import { processContext } from './shell/process-context.ts';
import type { Described } from './shell/shape.ts';
import { versionLine } from './shell/version.ts';

interface Command extends Described {
  readonly run: (args: readonly string[], context: CommandContext) => Promise<void>;
}

interface CommandEntry {
  readonly summary: string;
  /** Loads the command's module. The modules of other commands are not loaded. */
  readonly load: () => Promise<Command>;
}

/** All commands, by their names. */
export const COMMANDS: Readonly<Record<string, CommandEntry>> = {
  serve: { summary: 'run the control plane on this machine', load: () => import('./host/serve.ts') },
  outage: { summary: 'silence machines of the demonstration fleet', load: () => import('./host/outage.ts') },
  restore: { summary: 'let silenced machines answer again', load: () => import('./host/restore.ts') },
  kubeconfig: {
    summary: 'print a kubeconfig for a host of this machine',
    load: () => import('./access/kubeconfig.ts'),
  },
  proxy: {
    summary: "serve a stack's API at an HTTPS address of this machine",
    load: () => import('./cluster/proxy.ts'),
  },
  relay: {
    summary: "send the heartbeats of a site's machines in batches",
    load: () => import('./cluster/relay.ts'),
  },
  dashboard: {
    summary: 'show the roll call in a browser, live',
    load: () => import('./cluster/dashboard.ts'),
  },
  simulate: { summary: 'simulate hours of a fleet in seconds', load: () => import('./host/simulate.ts') },
  explain: {
    summary: 'say why a node, a pod or a zone is as it is, and what happens next',
    load: () => import('./cluster/explain.ts'),
  },
  top: { summary: 'show the fleet on the terminal, live', load: () => import('./cluster/top.ts') },
  env: {
    summary: 'print addresses and a token for curl, as shell variables',
    load: () => import('./host/env.ts'),
  },
  token: { summary: 'print a token for the API', load: () => import('./access/token.ts') },
  drain: {
    summary: 'have the control plane empty a node',
    load: () => import('./cluster/drain.ts'),
  },
  hold: {
    summary: 'stop evictions, drains, fencing and deletions of Nodes',
    load: () => import('./cluster/hold.ts'),
  },
  resume: { summary: 'end a Hold', load: () => import('./cluster/resume.ts') },
  'rotate-key': {
    summary: 'replace the key that signs tokens, without an outage',
    load: () => import('./access/rotate-key.ts'),
  },
  agent: { summary: 'make this machine a node', load: () => import('./agent/agent.ts') },
  backup: {
    summary: 'copy the state of a host to a file, or restore it',
    load: () => import('./host/backup.ts'),
  },
  config: { summary: 'print the effective settings of serve', load: () => import('./host/config.ts') },
  completion: {
    summary: 'print what a shell needs to complete command lines',
    load: async () => (await import('./completion/completion.ts')).completionOf(COMMANDS),
  },
  doctor: { summary: 'say what is wrong here, and what to do', load: () => import('./cluster/doctor.ts') },
  aws: { summary: 'look after a stack on AWS', load: () => import('./aws/aws.ts') },
  cost: { summary: 'compute what a fleet costs on AWS', load: () => import('./cluster/cost.ts') },
};

/** Asked by shells, not by people. */
const NAMES = '__complete';

const help = (): string =>
  [
    'Usage: rollcall <command> [options]',
    '',
    'Commands:',
    ...Object.entries(COMMANDS).map(([name, { summary }]) => `  ${name.padEnd(12)}${summary}`),
    '',
    'rollcall <command> --help describes a command; rollcall --version prints the version.',
    '',
    'Example: rollcall serve --fleet --fast',
  ].join('\n');

const entryOf = (name: string): CommandEntry => {
  const entry = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
  if (entry) return entry;
  const meant = nearest(name, Object.keys(COMMANDS));
  const guess = meant === undefined ? ';' : `; did you mean ${meant}?`;
  throw new CommandError(`there is no command "${name}"${guess} rollcall --help lists them`, 2);
};

const runCommand = async (name: string, args: readonly string[], context: CommandContext): Promise<void> => {
  const { usage, run } = await entryOf(name).load();
  if (args.some(isHelp)) context.print(usage);
  else await run(args, context);
};

const dispatch = async (args: readonly string[], context: CommandContext): Promise<void> => {
  const [name = '', ...rest] = args;
  if (name === NAMES) return (await import('./completion/names.ts')).printNames(rest, context);
  if (['--version', '-V', 'version'].includes(name)) return context.print(versionLine('rollcall'));
  const [topic] = rest;
  if (name === 'help' && topic !== undefined && !isHelp(topic)) return runCommand(topic, ['--help'], context);
  if (isHelp(name) || name === 'help') return context.print(help());
  return runCommand(name, rest, context);
};

/** Runs a command line. Returns the exit code: 0 for success, 1 for a failure, 2 for an invalid command line, 3 if another start would fail, too, 130 after Ctrl-C. */
export const main = async (
  args: readonly string[],
  context: CommandContext = processContext,
): Promise<number> => {
  const [name] = args;
  if (name === undefined) {
    context.complain(help());
    return 2;
  }
  try {
    await dispatch(args, context);
    return 0;
  } catch (error) {
    const where = Object.hasOwn(COMMANDS, name) ? `rollcall ${name}` : 'rollcall';
    return tellFailure(where, error, context);
  }
};
