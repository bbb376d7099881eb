/** Reads the settings of sinks: URLs with filters in their fragments, lists in a file, and commands. */
import { isObject } from '../../shared/api/json-object.ts';
import { parseLabelSelector } from '../../shared/api/selector/label-selector.ts';
import { InvalidSettingsError } from '../../shared/config/configuration.ts';
import type { EventSettings } from '../../shared/config/host-configuration.ts';
import type { EventFilter } from '../../shared/domain/notifications/event-filter.ts';
import {
  EVENT_TYPES,
  type EventType,
  SEVERITIES,
  type Severity,
} from '../../shared/domain/notifications/lifecycle-event.ts';
import type { CommandSinkSettings } from './command-sink.ts';
import type { HttpSinkSettings } from './http-sink.ts';

/** All sinks of a host, read and checked. */
export interface SinkSettings {
  readonly urls: readonly HttpSinkSettings[];
  readonly commands: readonly CommandSinkSettings[];
}

type Fields = Readonly<Record<string, unknown>>;

const FILTERS = ['types', 'zones', 'selector', 'severity'];
const URL_FIELDS = ['url', ...FILTERS, 'group', 'keyFile', 'keyEnv', 'caFile'];
const COMMAND_FIELDS = ['command', ...FILTERS, 'group'];
/** In place of types: what needs a person, or has ended such a need. */
const PROBLEMS = 'problems';

const fail = (setting: string, problem: string): never => {
  throw new InvalidSettingsError(`${setting}: ${problem}`);
};

const textsIn = (value: unknown): readonly string[] =>
  (Array.isArray(value) ? value : String(value).split(','))
    .map((one) => String(one).trim())
    .filter((one) => one !== '');

/** `NodeLost`, `node-lost` and `dev.rollcall.NodeLost` are the same. */
const typeOf = (setting: string, name: string): EventType => {
  const plain = name
    .replace(/^dev\.rollcall\./, '')
    .replaceAll(/(^|-)([a-z])/g, (_, _dash, letter: string) => letter.toUpperCase());
  const type = EVENT_TYPES.find((one) => one === plain);
  return (
    type ??
    fail(setting, `${JSON.stringify(name)} is no type of events; the types are ${EVENT_TYPES.join(', ')}`)
  );
};

const severityOf = (setting: string, value: unknown): Severity => {
  const severity = SEVERITIES.find((one) => one === value);
  return (
    severity ?? fail(setting, `the severity ${JSON.stringify(value)} is none of ${SEVERITIES.join(', ')}`)
  );
};

const selectorOf = (setting: string, value: unknown): NonNullable<EventFilter['selector']> => {
  try {
    return parseLabelSelector(String(value));
  } catch (error) {
    return fail(setting, `the selector ${JSON.stringify(value)} cannot be read: ${String(error)}`);
  }
};

/** Who names types wants all of them; everybody else what needs a person, or has ended such a need. */
const filterOf = (setting: string, { types, zones, selector, severity }: Fields): EventFilter => ({
  severity: severityOf(setting, severity ?? (types === undefined ? 'resolved' : 'info')),
  ...(types === undefined ? {} : { types: textsIn(types).map((name) => typeOf(setting, name)) }),
  ...(zones === undefined ? {} : { zones: textsIn(zones) }),
  ...(selector === undefined ? {} : { selector: selectorOf(setting, selector) }),
});

const known = (setting: string, fields: Fields, names: readonly string[]): void => {
  const unknown = Object.keys(fields).find((name) => !names.includes(name));
  if (unknown !== undefined)
    fail(setting, `${JSON.stringify(unknown)} is no field of a sink; the fields are ${names.join(', ')}`);
};

const listIn = (setting: string, text: string): readonly Fields[] | undefined => {
  if (!text.trimStart().startsWith('[')) return undefined;
  let list: unknown;
  try {
    list = JSON.parse(text);
  } catch (error) {
    return fail(setting, String(error));
  }
  if (!Array.isArray(list)) return fail(setting, 'must be a list');
  return list.map((one: unknown) => {
    if (typeof one === 'string') return { url: one };
    return isObject(one) ? one : fail(setting, `${JSON.stringify(one)} is no sink`);
  });
};

const textIn = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);

const camel = (name: string): string =>
  name.replaceAll(/-([a-z])/g, (_, letter: string) => letter.toUpperCase());

const urlOf = (setting: string, text: string): URL => {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url || !/^https?:$/.test(url.protocol) || url.username !== '' || url.password !== '')
    return fail(
      setting,
      `${JSON.stringify(text)} is refused; give a URL with http: or https:, without credentials`,
    );
  return url;
};

const isOff = (group: unknown): boolean => ['off', 'false'].includes(String(group));

const httpSink = (given: Fields, { eventKeyFile, eventCaFile }: EventSettings): HttpSinkSettings => {
  const setting = 'eventSink';
  const url = urlOf(setting, String(given['url']));
  const fragment = [...new URLSearchParams(url.hash.slice(1))].map(([name, value]) => [camel(name), value]);
  const fields: Fields = { ...given, ...Object.fromEntries(fragment) };
  known(setting, fields, URL_FIELDS);
  url.hash = '';
  return {
    ...{ url: url.href, filter: filterOf(setting, fields), isGrouped: !isOff(fields['group'] ?? 'on') },
    ...{ keyFile: textIn(fields['keyFile']) ?? (fields['keyEnv'] === undefined ? eventKeyFile : undefined) },
    ...{ keyEnv: textIn(fields['keyEnv']), caFile: textIn(fields['caFile']) ?? eventCaFile },
  };
};

const commandIn = (setting: string, command: unknown): CommandSinkSettings['command'] => {
  const [program, ...args] = Array.isArray(command) ? command.map(String) : [];
  if (program !== undefined && program !== '') return [program, ...args];
  return fail(
    setting,
    'a command is missing; give --on TYPES -- COMMAND, or in a file a list with types and command',
  );
};

/** A command that asks for types is run for each event, one for problems for each group of them. */
const commandSink = (given: Fields): CommandSinkSettings => {
  const setting = 'on';
  known(setting, given, COMMAND_FIELDS);
  const { types, ...rest } = given;
  const isAny = types === undefined || types === PROBLEMS;
  const { group = isAny ? 'on' : 'off' } = rest;
  return {
    command: commandIn(setting, given['command']),
    filter: filterOf(setting, isAny ? rest : given),
    isGrouped: !isOff(group),
  };
};

/** Reads and checks the settings. Throws an `InvalidSettingsError`. */
export const sinkSettings = (settings: EventSettings): SinkSettings => {
  const { eventSink = '', on = '' } = settings;
  const texts = eventSink.split(/\s+/).filter((url) => url !== '');
  const given = listIn('eventSink', eventSink) ?? texts.map((url): Fields => ({ url }));
  const urls = given.map((one) => httpSink(one, settings));
  const twice = urls.find(({ url }, place) => urls.findIndex((other) => other.url === url) !== place);
  if (twice) fail('eventSink', `${new URL(twice.url).host} is given twice with the same URL`);
  const commands = on === '' ? [] : (listIn('on', on) ?? [{ types: on }]);
  return { urls, commands: commands.map(commandSink) };
};
