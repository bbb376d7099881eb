/** `rollcall simulate`: runs scenarios under a virtual clock, with the reconcile functions that run in production. */

import { printable } from '../../shared/kube/text/printable.ts';
import { InvalidSettingsError } from '../../shared/settings/invalid-settings.ts';
import { builtInNames, builtInScenario } from '../../simulation/built-in.ts';
import { nodeDifferences, nodeTable } from '../../simulation/node-differences.ts';
import type { Plan } from '../../simulation/plan/plan.ts';
import { policiesFrom } from '../../simulation/plan/policies.ts';
import type { Scenario } from '../../simulation/plan/scenario.ts';
import { parseScenario } from '../../simulation/plan/scenario.ts';
import { ScenarioError } from '../../simulation/plan/yaml-fields.ts';
import { parseFleet, simulateFleet } from '../../simulation/recorded-fleet.ts';
import type { Recording } from '../../simulation/replay.ts';
import { comparison, parseRecording } from '../../simulation/replay.ts';
import type { Simulated } from '../../simulation/simulate.ts';
import { simulate, simulatePlan } from '../../simulation/simulate.ts';
import { figureLines, notificationLines, timelineOf } from '../../simulation/timeline.ts';
import { helpText } from '../options/help-text.ts';
import type { OptionTable } from '../options/option-table.ts';
import type { CommandContext } from '../shell/command.ts';
import { CommandError, misuse, parseCommandLine, reasonOf, settingsProblem } from '../shell/command.ts';
import { nearest } from '../shell/nearest.ts';

/** What the command takes. */
export const OPTIONS = {
  seed: {
    type: 'string',
    value: 'N',
    describe: "seed of the random choices of machines and times (default: the scenario's)",
  },
  set: {
    type: 'string',
    value: 'NAME=VALUE',
    multiple: true,
    describe: 'a setting, such as nodeEvictionRate=0.2',
    default: [] as string[],
  },
  record: { type: 'string', value: 'FILE', describe: 'writes the run to a file, for replay' },
  policy: {
    type: 'string',
    value: 'FILE',
    describe: 'with replay: policies instead of those of the recording',
  },
  notifications: {
    type: 'boolean',
    describe: 'prints what people would have been told of each scenario, in groups',
    default: false,
  },
  json: {
    type: 'boolean',
    describe: 'prints figures, happenings and notifications as JSON',
    default: false,
  },
  large: {
    type: 'boolean',
    describe: 'with all: also runs the scenarios that take long',
    default: false,
  },
} as const satisfies OptionTable;

export const usage = helpText({
  lines: [
    'rollcall simulate SCENARIO|FILE [options]',
    'rollcall simulate all [options]',
    'rollcall simulate replay RECORDING [options]',
    'rollcall simulate fleet FILE',
    'rollcall simulate list',
  ],
  about: [
    "Runs Rollcall's controllers in memory under a virtual clock. The same seed gives the same output.",
  ],
  words: [
    ['SCENARIO|FILE', 'runs one scenario: timeline, figures, verdict'],
    ['all', 'runs every built-in scenario, one line each'],
    [
      'replay RECORDING',
      'shows what other settings (--set) or a NodeLifecyclePolicy (--policy) would have changed',
    ],
    ['fleet FILE', 'the same for an outage that the dashboard has recorded'],
    ['list', 'lists the built-in scenarios'],
  ],
  options: OPTIONS,
  example: 'rollcall simulate zone-outage --set nodeEvictionRate=0.2',
});

const readArguments = (args: readonly string[]) =>
  parseCommandLine({ args: [...args], options: OPTIONS, allowPositionals: true }, usage);

type Values = ReturnType<typeof readArguments>['values'];

const settingOf = (text: string): readonly [string, string] => {
  const [, name, value] = /^(\w+)=(.*)$/.exec(text) ?? [];
  if (name === undefined || value === undefined)
    throw new CommandError(`--set ${text} is not a setting; write it as --set nodeEvictionRate=0.2`, 2);
  return [name, value];
};

const settingsOf = ({ set }: Values): Readonly<Record<string, string>> =>
  Object.fromEntries(set.map(settingOf));

const seedOf = ({ seed }: Values): number | undefined => {
  if (seed === undefined || /^\d{1,15}$/.test(seed)) return seed === undefined ? undefined : Number(seed);
  throw new CommandError(`--seed ${seed} is not valid: give a whole number of at most 15 digits`, 2);
};

const readText = async (path: string, { readFile }: CommandContext): Promise<string> => {
  try {
    return await readFile(path);
  } catch (error) {
    const meant = nearest(path, builtInNames());
    const guess = meant === undefined ? '' : `; did you mean ${meant}?`;
    throw new CommandError(
      `cannot read ${path}: ${reasonOf(error)}${guess} (rollcall simulate list prints the built-in scenarios)`,
    );
  }
};

const scenarioOf = async (name: string, context: CommandContext): Promise<Scenario> =>
  builtInNames().includes(name) ? builtInScenario(name) : parseScenario(await readText(name, context), name);

const recordingOf = ({ plan, figures, happenings }: Simulated): Recording => ({
  rollcall: 'simulation',
  version: 1,
  plan,
  figures,
  happenings,
});

const verdictOf = (failings: readonly string[]): string =>
  failings.length === 0 ? 'passed' : `FAILED: ${failings.join('; ')}`;

const told = ({ plan, notifications }: Simulated, values: Values): readonly string[] =>
  values.notifications ? ['notifications', ...notificationLines(plan, notifications), ''] : [];

const show = (
  scenario: Scenario,
  run: Simulated,
  failings: readonly string[],
  values: Values,
): readonly string[] => [
  printable(`${scenario.name}: ${scenario.about}`),
  `seed ${run.plan.seed}`,
  '',
  ...timelineOf(run.plan, run.happenings),
  '',
  ...told(run, values),
  ...figureLines(run.figures),
  '',
  ...(scenario.expect ? [`verdict               ${verdictOf(failings)}`] : []),
];

const one = async (name: string, values: Values, context: CommandContext): Promise<void> => {
  const scenario = await scenarioOf(name, context);
  const run = await simulate(scenario, { seed: seedOf(values), settings: settingsOf(values) });
  const { figures, happenings, notifications, failings } = run;
  if (values.record !== undefined)
    await context.writeFile(values.record, `${JSON.stringify(recordingOf(run))}\n`);
  const json = { name: scenario.name, seed: run.plan.seed, figures, failings, happenings, notifications };
  context.print(
    values.json ? JSON.stringify(json, undefined, 2) : show(scenario, run, failings, values).join('\n'),
  );
  if (failings.length > 0)
    throw new CommandError(`${scenario.name} failed: it does not meet its expectations`);
};

const all = async (values: Values, context: CommandContext): Promise<void> => {
  const scenarios = builtInNames().map(builtInScenario);
  const results: { name: string; figures: Simulated['figures']; failings: readonly string[] }[] = [];
  for (const scenario of scenarios.filter(({ large }) => values.large || !large)) {
    const settings = settingsOf(values);
    const { figures, failings } = await simulate(scenario, { seed: seedOf(values), settings });
    results.push({ name: scenario.name, figures, failings });
    if (!values.json) context.print(`${scenario.name.padEnd(40)}${verdictOf(failings)}`);
  }
  if (values.json) context.print(JSON.stringify(results, undefined, 2));
  const failed = results.filter(({ failings }) => failings.length > 0).length;
  if (failed > 0) throw new CommandError(`${failed} of ${results.length} scenarios failed`);
};

/** The plan of a recording with the settings and policies of the command line. */
const planFor = async ({ plan }: Recording, values: Values, context: CommandContext): Promise<Plan> => ({
  ...plan,
  settings: { ...plan.settings, ...settingsOf(values) },
  ...(values.policy === undefined
    ? {}
    : { policies: policiesFrom(await readText(values.policy, context), values.policy) }),
});

const changesOf = (values: Values): string => {
  const settings = Object.entries(settingsOf(values)).map(([name, value]) => `${name}=${value}`);
  const changes = values.policy === undefined ? settings : [...settings, `the policies of ${values.policy}`];
  return changes.join(', ') || 'the same settings';
};

const replay = async (file: string, values: Values, context: CommandContext): Promise<void> => {
  const recorded = parseRecording(await readText(file, context), file);
  const replayed = await simulatePlan(await planFor(recorded, values, context));
  const differences = comparison(recorded, replayed);
  const { plan } = recorded;
  const nodes =
    values.policy === undefined
      ? []
      : nodeDifferences(recorded.happenings, replayed.happenings, plan.startAt);
  if (values.json)
    return context.print(JSON.stringify({ differences, nodes, figures: replayed.figures }, undefined, 2));
  context.print(`${plan.name}, seed ${plan.seed}, with ${changesOf(values)}:`);
  const table = nodeTable(nodes);
  const lines = [...(table.length > 0 ? [...table, ''] : []), ...differences];
  context.print(lines.length === 0 ? NO_DIFFERENCE : lines.join('\n'));
};

const NO_DIFFERENCE = 'nothing would have been different';

const fleet = async (file: string, values: Values, context: CommandContext): Promise<void> => {
  const recorded = parseFleet(await readText(file, context), file);
  const runs = await simulateFleet(recorded);
  if (values.json) return context.print(JSON.stringify(runs));
  const table = nodeTable(nodeDifferences(runs.asIs, runs.changed, recorded.plan.startAt));
  context.print(table.length === 0 ? NO_DIFFERENCE : table.join('\n'));
};

const list = ({ print }: CommandContext): void => {
  for (const { name, about } of builtInNames().map(builtInScenario)) print(`${name.padEnd(40)}${about}`);
};

const runCommand = async (args: readonly string[], context: CommandContext): Promise<void> => {
  const { values, positionals } = readArguments(args);
  const [what, file, ...more] = positionals;
  if (values.policy !== undefined && what !== 'replay')
    throw misuse('--policy is for replay; in a scenario write policies', usage);
  const takesFile = what === 'replay' || what === 'fleet';
  if (what === undefined || more.length > 0 || takesFile !== (file !== undefined))
    throw misuse('give a scenario, all, replay RECORDING, fleet FILE or list', usage);
  if (what === 'list') return list(context);
  if (what === 'all') return all(values, context);
  if (file === undefined) return one(what, values, context);
  return what === 'fleet' ? fleet(file, values, context) : replay(file, values, context);
};

/** Simulates, lists or replays. Throws a `CommandError` for a scenario that cannot be read, and for one that fails. */
export const run = async (args: readonly string[], context: CommandContext): Promise<void> => {
  try {
    await runCommand(args, context);
  } catch (error) {
    if (error instanceof InvalidSettingsError) throw settingsProblem(error, 1);
    throw error instanceof ScenarioError ? new CommandError(error.message) : error;
  }
};
