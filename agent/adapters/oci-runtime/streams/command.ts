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
import { attemptFolder, readRecord } from '../containers/records.ts';
import { settle } from '../containers/settle.ts';

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
  if (!record || (await settle(parts, place))?.is !== 'running')
    throw new Error(`container ${place.id} is not running`);
  const attempt = attemptFolder(place, record);
  const config = jsonIn<OciConfig>(join(attempt, CONFIG_FILE));
  if (!config) throw new Error(`container ${place.id} has no configuration`);
  const folder = mkdtempSync(join(attempt, 'e-'));
  const [file, pidFile] = [join(folder, PROCESS_FILE), join(folder, PID_FILE)];
  const terminalFile = join(folder, TERMINAL_FILE);
  writeFileSync(file, JSON.stringify(execProcess(config, command, isTerminal)), { mode: 0o600 });
  const group = parts.groups.makeBelow(place.group, basename(folder));
  const options = ['--process', file, '--pid-file', pidFile, '--cgroup', group];
  return {
    words: ['--root', parts.programs.runtime.stateFolder, 'exec', ...options, runtimeId(place)],
    terminalFile,
    hasBegun: () => existsSync(pidFile),
    kill: () => parts.groups.kill(`${place.group}/${basename(folder)}`),
    forget: () => {
      for (const path of [file, pidFile, terminalFile]) rmSync(path, { force: true });
      rmdirSync(folder);
      parts.groups.remove(`${place.group}/${basename(folder)}`);
    },
  };
};
