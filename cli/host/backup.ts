/** `rollcall backup`: copies the state of a host to one file, also while it runs, or restores it from such a file. */
import { resolve } from 'node:path';
import { requestOfHost } from '../../host/admin-mailbox.ts';
import { readHostRecord } from '../../host/folder/host-record.ts';
import { SqliteProblem } from '../../shared/adapters/sqlite/file/problem.ts';
import { restoreSqliteState } from '../../shared/adapters/sqlite/restore.ts';
import { openSqliteState } from '../../shared/adapters/sqlite/state.ts';
import type { HostPaths } from '../../shared/serving/machine/files.ts';
import { pathsFor } from '../access/host-folder.ts';
import { noState } from '../access/no-cluster.ts';
import { helpText } from '../options/help-text.ts';
import type { OptionTable } from '../options/option-table.ts';
import type { CommandContext } from '../shell/command.ts';
import { CommandError, misuse, parseCommandLine, reasonOf } from '../shell/command.ts';

/** What the command takes. */
export const OPTIONS = {
  folder: { type: 'string', value: 'FOLDER', describe: 'folder of the host (default .rollcall)' },
} as const satisfies OptionTable;

export const usage = helpText({
  lines: ['rollcall backup (create | restore) FILE [--folder FOLDER]'],
  about: [],
  words: [
    [
      'create FILE',
      'copies all stored objects to a new file; the host may be running. The copy does not contain keys and certificates: copy those from the folder',
    ],
    [
      'restore FILE',
      'replaces the state of a stopped host with such a copy, and keeps the replaced state in a subfolder',
    ],
  ],
  options: OPTIONS,
  example: 'rollcall backup create /var/backups/rollcall.backup',
});

/** Milliseconds after which a running host has not answered. A large backup takes minutes. */
const WITHIN_MS = 10 * 60_000;

const isAct = (act: string | undefined): act is 'create' | 'restore' => act === 'create' || act === 'restore';

const readArgs = (args: readonly string[]) => {
  const config = { args: [...args], options: OPTIONS, allowPositionals: true } as const;
  const { values, positionals } = parseCommandLine(config, usage);
  const [act, file, ...others] = positionals;
  if (!isAct(act)) throw misuse('give either create or restore', usage);
  if (file === undefined || others.length > 0) throw misuse('give exactly one file', usage);
  return { act, file: resolve(file), folder: values.folder };
};

const askHost = async ({ requests }: HostPaths, file: string): Promise<void> => {
  const outcome = await requestOfHost(requests, { kind: 'backup', file }, WITHIN_MS);
  if (outcome === undefined)
    throw new CommandError('the host did not answer; if it is stopping, try again when it has stopped');
  if (outcome.error !== undefined) throw new CommandError(outcome.error);
};

const backUp = async (paths: HostPaths, file: string, { now }: CommandContext): Promise<void> => {
  if (!readHostRecord(paths.host)) throw noState(paths.folder);
  try {
    const state = openSqliteState({ folder: paths.state, clock: { now } });
    try {
      await state.backup(file);
    } finally {
      state.close();
    }
  } catch (error) {
    if (!(error instanceof SqliteProblem) || error.kind !== 'inUse') throw error;
    await askHost(paths, file);
  }
};

/** Creates or restores a backup. Throws a `CommandError` if it cannot. */
export const run = async (args: readonly string[], context: CommandContext): Promise<void> => {
  const { act, file, folder } = readArgs(args);
  const paths = pathsFor(folder, context);
  try {
    if (act === 'restore') restoreSqliteState({ file, folder: paths.state, clock: { now: context.now } });
    else await backUp(paths, file, context);
  } catch (error) {
    throw error instanceof CommandError ? error : new CommandError(reasonOf(error));
  }
  context.print(act === 'restore' ? `${paths.folder} is restored from ${file}` : `the backup is in ${file}`);
};
