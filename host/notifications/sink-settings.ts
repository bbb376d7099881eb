/** Reads the settings of sinks: URLs with filters in their fragments, lists in a file, and commands. */
import {
  FILTER_FIELDS,
  failSetting,
  filterIn,
  type SinkFields,
} from '../../shared/settings/events/event-filter.ts';
import {
  checkFields,
  type GivenUrl,
  isOff,
  listedSinks,
  sinkUrls,
} from '../../shared/settings/events/sink-urls.ts';
import type { EventSettings } from '../../shared/settings/host/host-configuration.ts';
import type { CommandSinkSettings } from './command-sink.ts';
import type { HttpSinkSettings } from './http-sink.ts';

/** All sinks of a host, read and checked. */
export interface SinkSettings {
  readonly urls: readonly HttpSinkSettings[];
  readonly commands: readonly CommandSinkSettings[];
}

/** The fields of a URL that only hosts know. */
const OWN_FIELDS = ['keyFile', 'keyEnv', 'caFile'];
const COMMAND_FIELDS = ['command', ...FILTER_FIELDS, 'group'];
/** In place of types: what needs a person, or has ended such a need. */
const PROBLEMS = 'problems';

const textIn = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);

const httpSink = (
  { url, filter, isGrouped, fields }: GivenUrl,
  { eventKeyFile, eventCaFile }: EventSettings,
): HttpSinkSettings => ({
  url,
  filter,
  isGrouped,
  keyFile: textIn(fields['keyFile']) ?? (fields['keyEnv'] === undefined ? eventKeyFile : undefined),
  keyEnv: textIn(fields['keyEnv']),
  caFile: textIn(fields['caFile']) ?? eventCaFile,
});

const commandIn = (setting: string, command: unknown): CommandSinkSettings['command'] => {
  const [program, ...args] = Array.isArray(command) ? command.map(String) : [];
  if (program !== undefined && program !== '') return [program, ...args];
  return failSetting(
    setting,
    'a command is missing; give --on TYPES -- COMMAND, or in a file a list with types and command',
  );
};

/** A command that asks for types is run for each event, one for problems for each group of them. */
const commandSink = (given: SinkFields): CommandSinkSettings => {
  const setting = 'on';
  checkFields(setting, given, COMMAND_FIELDS);
  const { types, ...rest } = given;
  const isAny = types === undefined || types === PROBLEMS;
  const { group = isAny ? 'on' : 'off' } = rest;
  return {
    command: commandIn(setting, given['command']),
    filter: filterIn(setting, isAny ? rest : given),
    isGrouped: !isOff(group),
  };
};

/** Reads and checks the settings. Throws an `InvalidSettingsError`. */
export const sinkSettings = (settings: EventSettings): SinkSettings => {
  const { eventSink = '', on = '' } = settings;
  const urls = sinkUrls('eventSink', eventSink, OWN_FIELDS).map((one) => httpSink(one, settings));
  const commands = on === '' ? [] : (listedSinks('on', on) ?? [{ types: on }]);
  return { urls, commands: commands.map(commandSink) };
};
