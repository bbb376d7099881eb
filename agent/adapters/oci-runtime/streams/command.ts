/** What the runtime needs to run a command in a container: files in the folder of the attempt, and a group by which all of it is ended. */
import { existsSync, mkdtempSync, rmdirSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { execProcess } from '../../../rules/oci/config.ts';
import type { OciConfig } from '../../../rules/oci/runtime-spec.ts';
import type { Place } from '../../containers/places.ts';
import { jsonIn } from '../../linux/whole-files.ts';
import { CONFIG_FILE } from '../bundles/bundle.ts';
import { runtimeId } from '../containers/names.ts';
import type { OciParts } from '../containers/parts.ts';
import { attemptFolder, readRecord, readStarted } from '../containers/records.ts';
import { settle } from '../containers/settle.ts';
import { commandGroup } from './command-group.ts';

export interface Command {
  /** Of the runtime, behind its name. */
  readonly words: readonly string[];
  /** Where the name of the terminal is written that the runtime is run in. */
  readonly terminalFile: string;
  /** Whether the command has begun. If not, what the runtime said and its code are the runtime's own. */
  readonly hasBegun: () => boolean;
  /** Kills all that the command has started. */
  readonly kill: () => Promise<void>;
  /** Takes files and group away. What still runs goes on. */
  readonly forget: () => void;
}

const PROCESS_FILE = 'process.json';
const PID_FILE = 'pid';
const TERMINAL_FILE = 'terminal';

/** Rejects if the container does not run. */
export const prepareCommand = async (
  parts: OciParts,
  place: Place,
  command: readonly string[],
  isTerminal = false,
): Promise<Command> => {
  const record = readRecord(place);
  const program = record && readStarted(place, record);
  if (!program || (await settle(parts, place))?.is !== 'running')
    throw new Error(`container ${place.id} is not running`);
  const attempt = attemptFolder(place, record);
  const config = jsonIn<OciConfig>(join(attempt, CONFIG_FILE));
  if (!config) throw new Error(`container ${place.id} has no configuration`);
  const folder = mkdtempSync(join(attempt, 'e-'));
  const [file, pidFile] = [join(folder, PROCESS_FILE), join(folder, PID_FILE)];
  const terminalFile = join(folder, TERMINAL_FILE);
  const { options, environment, kill, forget } = commandGroup(parts, place, {
    name: basename(folder),
    pidFile,
    program,
  });
  const runs = execProcess(config, command, isTerminal);
  writeFileSync(file, JSON.stringify({ ...runs, env: [...runs.env, ...environment] }), { mode: 0o600 });
  const own = ['--process', file, '--pid-file', pidFile, ...options];
  return {
    words: ['--root', parts.programs.runtime.stateFolder, 'exec', ...own, runtimeId(place)],
    terminalFile,
    hasBegun: () => existsSync(pidFile),
    kill,
    forget: () => {
      for (const path of [file, pidFile, terminalFile]) rmSync(path, { force: true });
      rmdirSync(folder);
      forget();
    },
  };
};
