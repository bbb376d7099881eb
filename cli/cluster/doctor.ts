/** `rollcall doctor`: says what is wrong, and what to do. */

import { examine, worst } from '../doctor/checks.ts';
import type { Status, Verdict } from '../doctor/facts/verdict.ts';
import { gather } from '../doctor/gather/facts.ts';
import { helpText } from '../options/help-text.ts';
import { type OptionTable, outputOption } from '../options/option-table.ts';
import { CLUSTER_OPTIONS } from '../shell/cluster-options.ts';
import { type CommandContext, CommandError, misuse, parseCommandLine } from '../shell/command.ts';

/** What the command takes. */
export const OPTIONS = {
  agent: {
    type: 'boolean',
    describe:
      'also what "rollcall agent" takes of this machine, with a container that is started and removed',
  },
  only: { type: 'string', value: 'CHECK', multiple: true, describe: 'only this check, such as server' },
  output: outputOption('text', 'json'),
  folder: { ...CLUSTER_OPTIONS.folder, describe: 'the host of this folder (default: .rollcall)' },
  kubeconfig: {
    ...CLUSTER_OPTIONS.kubeconfig,
    describe: 'the server of this kubeconfig (default, if no host has run here: KUBECONFIG)',
  },
  context: CLUSTER_OPTIONS.context,
  stack: {
    ...CLUSTER_OPTIONS.stack,
    describe: 'this stack on AWS, with the credentials of this terminal',
  },
} as const satisfies OptionTable;

export const usage = helpText({
  lines: ['rollcall doctor [options]'],
  about: [
    'Looks at what Rollcall needs and says what is wrong, and what to do: versions, folder, disk, port, modes of keys, certificates, name, way to the server, clocks, and what the token may do. It only reads, but with --agent it also starts and removes one container, and takes half a minute at most.',
  ],
  options: OPTIONS,
  notes: ['Exit codes: 0 all is well, 1 warnings, 2 something is wrong (or the command line is).'],
  example: 'rollcall doctor --folder .rollcall',
});

/** Told by word and by shape, so that no colour is needed. */
const SHAPES: Readonly<Record<Status, string>> = { ok: '✓ ok  ', warn: '! warn', fail: '✗ FAIL' };
const WIDTH = 13;

const linesOf = ({ check, status, words, remedy }: Verdict): readonly string[] => [
  `${SHAPES[status]}  ${check.padEnd(WIDTH)}${words}`,
  ...(remedy === undefined ? [] : [`${' '.repeat(8 + WIDTH)}→ ${remedy}`]),
];

const count = (verdicts: readonly Verdict[], status: Status): number =>
  verdicts.filter((verdict) => verdict.status === status).length;

const summary = (verdicts: readonly Verdict[]): string => {
  const [failures, warnings] = [count(verdicts, 'fail'), count(verdicts, 'warn')];
  return failures + warnings === 0 ? 'All is well.' : `${failures} wrong, ${warnings} to look at.`;
};

/** A failure whose report is the output. */
const told = (exitCode: 1 | 2): CommandError => {
  const error = new CommandError('', exitCode);
  error.isTold = true;
  return error;
};

const readChoice = (args: readonly string[]) => {
  const { values } = parseCommandLine({ args: [...args], options: OPTIONS }, usage);
  const kubeconfig = values.kubeconfig ?? values.context;
  if ([values.folder, kubeconfig, values.stack].filter((one) => one !== undefined).length > 1)
    throw misuse('give one of --folder, --kubeconfig (with --context) and --stack', usage);
  if (!OPTIONS.output.complete.includes(values.output))
    throw misuse(`--output ${values.output} is neither text nor json`, usage);
  return values;
};

/** Prints the report. Throws a told `CommandError` if not all is well. */
export const run = async (args: readonly string[], context: CommandContext): Promise<void> => {
  const choice = readChoice(args);
  const { only } = choice;
  const all = examine(await gather(choice, context));
  const verdicts = only === undefined ? all : all.filter(({ check }) => only.includes(check));
  if (verdicts.length === 0)
    throw misuse(`no check of these names applies: ${(only ?? []).join(', ')}`, usage);
  const status = worst(verdicts);
  if (choice.output === 'json') context.print(JSON.stringify({ status, checks: verdicts }, null, 2));
  else context.print([...verdicts.flatMap(linesOf), '', summary(verdicts)].join('\n'));
  if (status !== 'ok') throw told(status === 'fail' ? 2 : 1);
};
