/** `rollcall-agent`: the agent without the rest of the package, in one file or as one executable. */

import { CommandError, type LocalContext } from '../shell/command.ts';
import { isHelp, tellFailure } from '../shell/failure.ts';
import { localContext } from '../shell/local-context.ts';
import { hushExperiments } from '../shell/silence-experimental-warnings.ts';
import { versionLine } from '../shell/version.ts';
import { run, usage } from './agent.ts';

const NAME = 'rollcall-agent';

/** The commands of the package are `rollcall agent …`; here they have a program of their own. */
const named = (text: string): string => text.replaceAll('rollcall agent', NAME);

const context: LocalContext = {
  ...localContext,
  print: (text) => localContext.print(named(text)),
  complain: (text) => localContext.complain(named(text)),
};

const LEAST_NODE = 22;

const checkNode = (): void => {
  const { node } = process.versions;
  if (Number.parseInt(node, 10) < LEAST_NODE)
    throw new CommandError(`this is Node ${node}: the agent needs Node ${LEAST_NODE} or newer`);
};

const dispatch = async (args: readonly string[]): Promise<void> => {
  checkNode();
  const [name = ''] = args;
  if (['--version', '-V', 'version'].includes(name)) return context.print(versionLine(NAME));
  if (name === 'help' || args.some(isHelp)) return context.print(usage);
  await run(args, context);
};

/** A line that was printed for the package begins with `agent`. */
const wordsOf = ([first, ...rest]: readonly string[]): readonly string[] =>
  first === 'agent' ? rest : [first ?? '--help', ...rest];

hushExperiments();
dispatch(wordsOf(process.argv.slice(2))).catch((error: unknown) => {
  process.exitCode = tellFailure(NAME, error, context);
});
