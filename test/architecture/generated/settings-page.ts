/** The tables of settings. */
import {
  flagOf,
  HOST_SETTING_NAMES,
  HOST_SETTINGS,
  type HostSettingName,
  isHostSetting,
  SHARED_NAMES,
  variableOf,
} from '../../../shared/settings/host-settings.ts';
import { SETTINGS, type Setting, type SettingName } from '../../../shared/settings/settings.ts';
import { docstringsIn } from './docstrings.ts';
import { code, pageOf, tableOf } from './markdown.ts';

type AnySetting = Setting<number | string | boolean, number | string | boolean | undefined>;

const isShared = (name: string): boolean => SHARED_NAMES.some((shared) => shared === name);

const defaultOf = ({ fallback, fallbackText }: AnySetting): string =>
  fallback === undefined ? '–' : code(fallbackText);

const stackMeanings = docstringsIn('shared/settings/settings.ts');

/** On AWS a name that both targets have, such as `controllers`, has its own meaning. */
const meaningOnAws = (name: SettingName): string => {
  const own = stackMeanings.get(name);
  const shared = isHostSetting(name) && isShared(name) ? HOST_SETTINGS[name].meaning : undefined;
  const meaning = shared ?? own;
  if (meaning === undefined) throw new Error(`shared/settings/settings.ts has no docstring for ${name}`);
  return meaning;
};

const stackRow = (name: SettingName): readonly string[] => [
  code(name),
  defaultOf(SETTINGS[name]),
  SETTINGS[name].accepts,
  meaningOnAws(name),
];

const hostRow = (name: HostSettingName): readonly string[] => {
  const { setting, meaning } = HOST_SETTINGS[name];
  return [code(name), defaultOf(setting), setting.accepts, meaning];
};

const namesRow = (name: HostSettingName): readonly string[] => [
  code(name),
  code(`--${flagOf(name)}`),
  code(variableOf(name)),
];

const HEAD = ['setting', 'default', 'values', 'meaning'];

/** `docs/reference/settings.md`. */
export const settingsPage = (): string =>
  pageOf(
    'Settings',
    '[How to give a setting](../settings.md). A setting with the default – has none.',
    '## The stack on AWS',
    `On a host, too: ${SHARED_NAMES.map(code).join(', ')}.`,
    tableOf(HEAD, (Object.keys(SETTINGS) as SettingName[]).map(stackRow)),
    '## A host alone',
    tableOf(HEAD, HOST_SETTING_NAMES.filter((name) => !isShared(name)).map(hostRow)),
    '## Flags and variables of a host',
    tableOf(['setting', 'flag', 'environment variable'], HOST_SETTING_NAMES.map(namesRow)),
  );
