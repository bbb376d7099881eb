/** Settings of a host from the command line, the environment and a file, in this order of precedence. */
import { parseConfigFile } from '../../host/folder/config-file.ts';
import { sinkSettings } from '../../host/notifications/sink-settings.ts';
import { runningControllers } from '../../lambdas/running-controllers.ts';
import { HostProblem } from '../../shared/serving/http/problem.ts';
import {
  type HostConfiguration,
  parseHostConfiguration,
} from '../../shared/settings/host/host-configuration.ts';
import {
  flagOf,
  HOST_SETTING_NAMES,
  type HostSettingName,
  variableOf,
} from '../../shared/settings/host-settings.ts';
import { InvalidSettingsError } from '../../shared/settings/invalid-settings.ts';
import { withoutHarmless } from '../options/kubernetes-flags.ts';
import type { CommandContext } from '../shell/command.ts';
import { CommandError, misuse, parseCommandLine, reasonOf, settingsProblem } from '../shell/command.ts';
import { SETTING_OPTIONS } from './setting-options.ts';

/** Where a value comes from. */
export type Source = 'flag' | 'environment' | 'file' | 'default';

/** Settings by name, as they were given, and the source of each. */
export interface Gathered {
  readonly given: Readonly<Record<string, unknown>>;
  readonly sources: Readonly<Partial<Record<string, Source>>>;
}

/** What `--on TYPES -- COMMAND` says, as the setting has it in a file. */
const commandIn = (types: unknown, command: readonly string[], usage: string): { readonly on?: string } => {
  const [first] = command;
  if (typeof types === 'string' && first !== undefined) return { on: JSON.stringify([{ types, command }]) };
  if (first !== undefined) throw misuse(`unexpected argument "${first}"`, usage);
  return {};
};

const readFlags = (
  args: readonly string[],
  usage: string,
  { complain }: Pick<CommandContext, 'complain'>,
): Readonly<Record<string, string | boolean | undefined>> => {
  const { args: own, warnings } = withoutHarmless(args);
  const config = { args: [...own], options: SETTING_OPTIONS, allowNegative: true, allowPositionals: true };
  const { values, positionals } = parseCommandLine(config, usage);
  for (const warning of warnings) complain(warning);
  const joined = Object.entries(values).map(([name, value]) => [
    name,
    Array.isArray(value) ? value.join(' ') : value,
  ]);
  const flags = Object.fromEntries(joined) as Readonly<Record<string, string | boolean | undefined>>;
  return { ...flags, ...commandIn(flags['on'], positionals, usage) };
};

const readConfigFile = async (path: string, { readFile }: CommandContext) => {
  let text: string;
  try {
    text = await readFile(path);
  } catch (error) {
    throw new CommandError(`cannot read the settings in ${path}: ${reasonOf(error)}`);
  }
  try {
    return parseConfigFile(text, path);
  } catch (error) {
    if (error instanceof HostProblem) throw new CommandError(error.message, 2);
    throw error;
  }
};

/** The variable by which every program learns of a collector. Source: OpenTelemetry specification, "OTLP Exporter Configuration". */
const ofOtherPrograms = (name: HostSettingName, { env }: CommandContext): string | undefined =>
  name === 'trace' ? env['OTEL_EXPORTER_OTLP_ENDPOINT'] || undefined : undefined;

/** The given settings and their sources. Throws a `CommandError` for invalid flags and unreadable files. */
export const gatherSettings = async (
  args: readonly string[],
  usage: string,
  context: CommandContext,
): Promise<Gathered> => {
  const flags = readFlags(args, usage, context);
  const path = flags['config'] ?? context.env['ROLLCALL_CONFIG'];
  const file = typeof path === 'string' && path !== '' ? await readConfigFile(path, context) : {};
  const sources: Partial<Record<string, Source>> = {};
  const given: Record<string, unknown> = { ...file };
  for (const name of Object.keys(file)) sources[name] = 'file';
  for (const name of HOST_SETTING_NAMES) {
    const [flag, variable] = [
      flags[flagOf(name)],
      context.env[variableOf(name)] ?? ofOtherPrograms(name, context),
    ];
    if (flag === undefined && variable === undefined) continue;
    given[name] = flag ?? variable;
    sources[name] = flag === undefined ? 'environment' : 'flag';
  }
  return { given, sources };
};

/** The configuration by command line, environment and file. Throws a `CommandError` that names every invalid setting. */
export const readHostConfiguration = async (
  args: readonly string[],
  usage: string,
  context: CommandContext,
): Promise<HostConfiguration> => parseConfiguration((await gatherSettings(args, usage, context)).given);

/** Parses the given settings. Throws a `CommandError` that names every invalid setting. */
export const parseConfiguration = (given: Gathered['given']): HostConfiguration => {
  try {
    const configuration = parseHostConfiguration(given);
    runningControllers(configuration.controllers);
    sinkSettings(configuration.events);
    return configuration;
  } catch (error) {
    if (error instanceof InvalidSettingsError) throw settingsProblem(error, 2);
    throw error;
  }
};
