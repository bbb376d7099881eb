/** The settings of an agent, from its flags and the text of its file. */

import type { MachineSource } from '../ports/machine/machine-source.ts';
import { decodeKubeletConfig } from '../rules/config/kubelet-config.ts';
import { type AgentFlags, type AgentSettings, agentSettings, SettingsFault } from './agent-settings.ts';
import { type ReadConfig, readKubeletConfig } from './read-kubelet-config.ts';

export interface ConfigFile {
  readonly path: string;
  readonly text: string;
}

const configOf = (file: ConfigFile | undefined, hasRuntime: boolean): ReadConfig => {
  if (!file) return { config: decodeKubeletConfig({}), notes: [] };
  const read = readKubeletConfig(file.text, file.path, hasRuntime);
  if ('config' in read) return read;
  throw new SettingsFault(read.problems.join('\n'));
};

/** Throws a `SettingsFault` that names the flag, or the file with its line, and the remedy. */
export const readSettings = async (
  flags: AgentFlags,
  file: ConfigFile | undefined,
  machine: Pick<MachineSource, 'system'>,
): Promise<AgentSettings> => {
  const { hostName, operatingSystem } = await machine.system();
  const { config, notes, runtimeEndpoint } = configOf(file, Boolean(flags['container-runtime-endpoint']));
  // All that the agent keeps stands in its root folder.
  const layout = { hasImageFs: false, hasContainerFs: false };
  const settings = agentSettings({
    flags,
    config,
    hostName,
    os: operatingSystem,
    layout,
    ...(runtimeEndpoint !== undefined && { runtimeEndpoint }),
  });
  return { ...settings, notes: [...notes, ...settings.notes] };
};
