/** The settings of a host as options of a command line. */
import { flagOf, HOST_SETTINGS, type HostSettingName } from '../../shared/settings/host-settings.ts';
import type { Option, OptionTable } from '../options/option-table.ts';
import { GROUPED_SETTINGS, SETTING_VALUES, settingGroupOf } from '../options/setting-values.ts';

const optionOf = (name: HostSettingName): Option => {
  const { setting, meaning } = HOST_SETTINGS[name];
  const group = settingGroupOf(name);
  if (typeof setting.fallback === 'boolean') return { type: 'boolean', group, describe: meaning };
  const describe = setting.fallback === undefined ? meaning : `${meaning} (default ${setting.fallbackText})`;
  const value = SETTING_VALUES[name];
  return { type: 'string', group, describe, value, multiple: name === 'eventSink' };
};

/** By flag. Their defaults are those of the settings, because the environment and a file stand between. */
export const SETTING_OPTIONS: OptionTable = {
  ...Object.fromEntries(GROUPED_SETTINGS.map((name) => [flagOf(name), optionOf(name)])),
  config: {
    type: 'string',
    value: 'FILE',
    group: settingGroupOf('folder'),
    describe: 'a file with settings, YAML or JSON (ROLLCALL_CONFIG)',
  },
};

/** What the help says below the settings. */
export const SETTING_NOTES: readonly string[] = [
  'Each setting may also be an environment variable, such as ROLLCALL_NODE_MONITOR_PERIOD=5s, or a line of the file, such as nodeMonitorPeriod: 5s. Flags override variables, and variables override the file.',
];
