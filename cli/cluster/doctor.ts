/** `rollcall doctor`: says what is wrong, and what to do. */

import { examine, worst } from '../doctor/checks.ts';
import { type Status, type Verdict, verdictsOf } from '../doctor/facts/verdict.ts';
import { gather } from '../doctor/gather/facts.ts';
import { helpText } from '../options/help-text.ts';
import { type OptionTable, outputOption } from '../options/option-table.ts';
import { CLUSTER_OPTIONS } from '../shell/cluster-options.ts';
import {
  type CommandContext,
  CommandError,
  type ExitCode,
  misuse,
  parseCommandLine,
} from '../shell/command.ts';

/** What the command takes. */
export const OPTIONS = {
  agent: {
    type: 'boolean',
    describe:
      'also what "rollcall agent" takes of this machine, with a container that is started and removed',
  },
  smoke: {
    type: 'boolean',
    describe:
      'also whether silence is detected: registers a node, lets it be silent for the grace period, and deletes it',
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
    'Looks at what Rollcall needs and says what is wrong, and what to do: versions, folder, disk, port, modes of keys, certificates, name, way to the server, clocks, and what the token may do. It only reads and takes half a minute at most, but --agent also starts and removes one container, and --smoke a node, which takes half a minute and the grace period.',
  ],
  options: OPTIONS,
  notes: [
    'Exit codes: 0 all is well, 1 warnings, 2 something is wrong (or the command line is), 130 after Ctrl-C.',
  ],
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
const told = (exitCode: ExitCode): CommandError => {
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

type Choice = ReturnType<typeof readChoice>;

/** Whether the API answers and takes the token. */
const isReachable = (verdicts: readonly Verdict[]): boolean => {
  const isFine = (wanted: string): boolean =>
    verdicts.some(({ check, status }) => check === wanted && status !== 'fail');
  return isFine('server') && isFine('access');
};

/** Runs the smoke test if that makes sense. Returns whether Ctrl-C has ended it. */
const smoke = async (
  choice: Choice,
  context: CommandContext,
  verdicts: readonly Verdict[],
  tell: (verdict: Verdict) => void,
): Promise<boolean> => {
  if (!choice.smoke) return false;
  const { fail } = verdictsOf('smoke');
  if (isReachable(verdicts))
    return (await import('../doctor/smoke/start-smoke.ts')).startSmoke(choice, context, tell);
  tell(fail('it was not begun: no API answers and takes the token', 'mend what rollcall doctor names first'));
  return false;
};

/** The verdicts that are asked for. */
const chosen = ({ only, smoke: isSmoke }: Choice, all: readonly Verdict[]): readonly Verdict[] => {
  const verdicts = only === undefined ? all : all.filter(({ check }) => only.includes(check));
  if (verdicts.length > 0 || isSmoke) return verdicts;
  throw misuse(`no check of these names applies: ${(only ?? []).join(', ')}`, usage);
};

/** Prints the report. Throws a told `CommandError` if not all is well. */
export const run = async (args: readonly string[], context: CommandContext): Promise<void> => {
  const choice = readChoice(args);
  const isText = choice.output === 'text';
  const verdicts: Verdict[] = [];
  // A step of the smoke test is shown when it is over.
  const tell = (verdict: Verdict): void => {
    verdicts.push(verdict);
    if (isText) context.print(linesOf(verdict).join('\n'));
  };
  const all = examine(await gather(choice, context));
  for (const verdict of chosen(choice, all)) tell(verdict);
  const isStopped = await smoke(choice, context, all, tell);
  const status = worst(verdicts);
  context.print(isText ? `\n${summary(verdicts)}` : JSON.stringify({ status, checks: verdicts }, null, 2));
  if (isStopped) throw told(130);
  if (status !== 'ok') throw told(status === 'fail' ? 2 : 1);
};
