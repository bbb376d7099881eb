/** Finds the host of a folder for the other commands on the same machine. */

import { type HostRecord, isRunning, readHostRecord } from '../../host/folder/host-record.ts';
import { type HostPaths, pathsOf } from '../../shared/serving/machine/files.ts';
import { HOST_SETTINGS, variableOf } from '../../shared/settings/host-settings.ts';
import type { CommandContext } from '../shell/command.ts';
import { CommandError } from '../shell/command.ts';
import { OWN_NAME } from '../shell/own-name.ts';

/** The files of the host's folder: the given one, ROLLCALL_FOLDER or the default. */
export const pathsFor = (folder: string | undefined, { env }: CommandContext): HostPaths =>
  pathsOf(folder ?? env[variableOf('folder')] ?? HOST_SETTINGS.folder.setting.fallbackText);

/** The record that the folder's host wrote. Throws a `CommandError` if no host ever ran there. */
export const recordOf = ({ host, folder }: HostPaths): HostRecord => {
  const record = readHostRecord(host);
  if (record) return record;
  throw new CommandError(
    `no host has run in ${folder}: start one with npm start or ${OWN_NAME} serve, or give its folder with --folder`,
  );
};

/** The record of a running host. Throws a `CommandError` if it does not run. */
export const runningHost = (paths: HostPaths): HostRecord => {
  const record = recordOf(paths);
  if (isRunning(record)) return record;
  throw new CommandError(
    `no host is running in ${paths.folder}: start it with npm start or ${OWN_NAME} serve`,
  );
};
