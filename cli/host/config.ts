/** `rollcall config`: the effective settings, and where each of them comes from. */
import { HOST_SETTING_NAMES, HOST_SETTINGS } from '../../shared/settings/host-settings.ts';
import { helpText } from '../options/help-text.ts';
import type { CommandContext } from '../shell/command.ts';
import { gatherSettings, parseConfiguration } from './host-options.ts';
import { SETTING_NOTES, SETTING_OPTIONS } from './setting-options.ts';

/** What the command takes. */
export const OPTIONS = SETTING_OPTIONS;

export const usage = helpText({
  lines: ['rollcall config [settings]'],
  about: [
    'Prints the settings that `rollcall serve` would use with these flags, this environment and this file, and where each comes from.',
  ],
  options: OPTIONS,
  notes: SETTING_NOTES,
  example: 'rollcall config --node-monitor-grace-period 50s',
});

const shown = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));

/** Prints one line per setting. Throws a `CommandError` for values that are refused. */
export const run = async (args: readonly string[], context: CommandContext): Promise<void> => {
  const { given, sources } = await gatherSettings(args, usage, context);
  parseConfiguration(given);
  for (const name of HOST_SETTING_NAMES) {
    const { setting, meaning } = HOST_SETTINGS[name];
    const unset = setting.fallback === undefined ? '-' : setting.fallbackText;
    const value = given[name] === undefined ? unset : shown(given[name]);
    context.print(
      `${name.padEnd(26)} ${value.padEnd(14)} ${(sources[name] ?? 'default').padEnd(12)} ${meaning}`,
    );
  }
};
