/** The settings of the agent of a command line. */
import { createLinuxMachine } from '../agent/adapters/linux/machine-source.ts';
import { type AgentSettings, SettingsFault } from '../agent/config/agent-settings.ts';
import { readSettings } from '../agent/config/read-settings.ts';
import type { AgentArguments } from './agent-options.ts';
import { CommandError } from './command.ts';

/** Throws a `CommandError` that names the flag or the line that is wrong. */
export const readAgentSettings = async ({ flags, config }: AgentArguments): Promise<AgentSettings> => {
  try {
    return await readSettings(flags, config, createLinuxMachine());
  } catch (error) {
    throw error instanceof SettingsFault ? new CommandError(error.message, 2) : error;
  }
};
