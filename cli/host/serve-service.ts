/** What systemd needs to know of `rollcall serve`. */
import { resolve } from 'node:path';
import {
  flagOf,
  HOST_SETTING_NAMES,
  HOST_SETTINGS,
  type HostSettingName,
  variableOf,
} from '../../shared/settings/host-settings.ts';
import type { FromEnvironment, ServiceSettings } from '../service/service-command.ts';
import type { CommandContext } from '../shell/command.ts';
import { type Gathered, gatherSettings, parseConfiguration } from './host-options.ts';

const flagsOf = (name: HostSettingName, given: unknown): readonly string[] => {
  const value = HOST_SETTINGS[name].setting.read(given);
  if (typeof value === 'boolean') return [value ? `--${flagOf(name)}` : `--no-${flagOf(name)}`];
  const text = String(given);
  return [`--${flagOf(name)}=${name.endsWith('File') ? resolve(text) : text}`];
};

/** The folder has a place of its own in a unit. */
const settingsOf = ({ given, sources }: Gathered): readonly FromEnvironment[] =>
  HOST_SETTING_NAMES.flatMap((name) =>
    sources[name] === 'environment' && name !== 'folder'
      ? [{ variable: variableOf(name), words: flagsOf(name, given[name]) }]
      : [],
  );

const CONFIG = 'ROLLCALL_CONFIG';

const fileOf = (args: readonly string[], { env }: CommandContext): readonly FromEnvironment[] => {
  const path = env[CONFIG];
  const isGiven = args.some((word) => word.startsWith('--config='));
  return path && !isGiven ? [{ variable: CONFIG, words: [`--config=${resolve(path)}`] }] : [];
};

/** Throws a `CommandError` that names every invalid setting. */
export const serveSettings = async (
  args: readonly string[],
  usage: string,
  context: CommandContext,
): Promise<ServiceSettings> => {
  const gathered = await gatherSettings(args, usage, context);
  const { folder, listen } = parseConfiguration(gathered.given);
  return {
    folder: gathered.sources['folder'] === undefined ? undefined : folder,
    port: listen.port,
    fromEnvironment: [...fileOf(args, context), ...settingsOf(gathered)],
  };
};
