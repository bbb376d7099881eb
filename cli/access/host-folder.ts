/** Finds the host of a folder for the other commands on the same machine. */

import { dirname, resolve } from 'node:path';
import { type HostRecord, isRunning, readHostRecord } from '../../host/folder/host-record.ts';
import { type HostPaths, pathsOf } from '../../shared/serving/machine/files.ts';
import { HOST_SETTINGS, variableOf } from '../../shared/settings/host-settings.ts';
import type { ClusterChoice } from '../shell/cluster-options.ts';
import type { CommandContext } from '../shell/command.ts';
import { CommandError } from '../shell/command.ts';
import { kubeconfigsOf } from './kubeconfig-target.ts';
import { type ClusterWay, noHost } from './no-cluster.ts';

/** The files of the host's folder: the given one, ROLLCALL_FOLDER or the default. */
export const pathsFor = (folder: string | undefined, { env }: CommandContext): HostPaths =>
  pathsOf(folder ?? env[variableOf('folder')] ?? HOST_SETTINGS.folder.setting.fallbackText);

/** The record that the folder's host wrote. Throws a `CommandError` if no host ever ran there. `ways`: the options that choose another cluster. */
export const recordOf = ({ host, folder }: HostPaths, ways: readonly ClusterWay[]): HostRecord => {
  const record = readHostRecord(host);
  if (record) return record;
  throw noHost(folder, ways);
};

/** The record of a running host. Throws a `CommandError` if it does not run. */
export const runningHost = (paths: HostPaths, ways: readonly ClusterWay[]): HostRecord => {
  const record = recordOf(paths, ways);
  if (isRunning(record)) return record;
  throw noHost(paths.folder, ways);
};

/** The files of the host that wrote this kubeconfig into its folder; `undefined`: no host did. */
const pathsBeside = (kubeconfig: string): HostPaths | undefined => {
  const paths = pathsOf(dirname(resolve(kubeconfig)));
  return paths.kubeconfig === resolve(kubeconfig) && readHostRecord(paths.host) ? paths : undefined;
};

/** The same of the kubeconfig that a command line names. Throws a `CommandError`. */
const pathsOfGiven = (kubeconfig: string, folder: string | undefined): HostPaths => {
  if (folder !== undefined) throw new CommandError('give either --folder or --kubeconfig, not both', 2);
  const paths = pathsBeside(kubeconfig);
  if (paths) return paths;
  throw new CommandError(
    `--kubeconfig ${kubeconfig} is not in the folder of a host, and this works by files of that folder: give the folder with --folder`,
  );
};

const isHostRunning = ({ host }: HostPaths): boolean => {
  const record = readHostRecord(host);
  return record !== undefined && isRunning(record);
};

/**
 * The files of the host that a command line chooses by its folder or by the kubeconfig in it; otherwise those of the host that
 * runs here, or of one that wrote a kubeconfig of KUBECONFIG. Throws a `CommandError`.
 */
export const hostPathsOf = (
  { folder, kubeconfig }: Pick<ClusterChoice, 'folder' | 'kubeconfig'>,
  context: CommandContext,
): HostPaths => {
  if (kubeconfig !== undefined) return pathsOfGiven(kubeconfig, folder);
  const own = pathsFor(folder, context);
  if (folder !== undefined || isHostRunning(own)) return own;
  const [beside] = kubeconfigsOf(context).flatMap((path) => pathsBeside(path) ?? []);
  return beside ?? own;
};
