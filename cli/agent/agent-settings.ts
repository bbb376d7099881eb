/** The settings of the agent of a command line. */
import { join } from 'node:path';
import { createLinuxMachine } from '../../agent/adapters/linux/machine-source.ts';
import { type AgentSettings, SettingsFault } from '../../agent/config/agent-settings.ts';
import { readSettings } from '../../agent/config/read-settings.ts';
import { decodeKubeletConfig } from '../../agent/rules/config/kubelet-config.ts';
import { boundingField } from '../../agent/rules/config/unbounded.ts';
import { adviceOn } from '../options/kubernetes-flags.ts';
import { CommandError } from '../shell/command.ts';
import { type AgentArguments, isRoot } from './agent-options.ts';

const LOGS_OF_ROOT = decodeKubeletConfig({}).podLogsDir;

/** Only root may write where kubelets keep the logs of pods: for others they are in the agent's own folder, unless the file names another. */
const withOwnLogs = (settings: AgentSettings, rootDirectory: string): AgentSettings => {
  const { config } = settings;
  if (isRoot() || config.podLogsDir !== LOGS_OF_ROOT) return settings;
  return { ...settings, config: { ...config, podLogsDir: join(rootDirectory, 'logs') } };
};

const UNBOUNDED = 'not without root: the agent has no control groups then: leave it out';

/** An OCI runtime isolates less if it is not root's. */
const withOwnIsolation = (settings: AgentSettings): AgentSettings => {
  if (isRoot() || settings.isolation !== 'oci') return settings;
  const field = boundingField(settings.config);
  if (field !== undefined) throw new SettingsFault(`${field}: ${UNBOUNDED}`);
  return { ...settings, isolation: 'oci-rootless' };
};

/** Throws a `CommandError` that names the flag or the line that is wrong. */
export const readAgentSettings = async ({
  flags,
  config,
  rootDirectory,
}: AgentArguments): Promise<AgentSettings> => {
  try {
    const settings = await readSettings(flags, config, createLinuxMachine());
    return withOwnIsolation(withOwnLogs(settings, rootDirectory));
  } catch (error) {
    throw error instanceof SettingsFault
      ? new CommandError(`${error.message}${adviceOn(error.message)}`, 2)
      : error;
  }
};
