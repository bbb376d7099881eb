/** What the runtime needs to run a command in a container: files in the folder of the attempt, and a group by which all of it is ended. */
import { createHash, randomUUID } from 'node:crypto';
import { existsSync, unlinkSync } from 'node:fs';
import { join } from 'node:path';
import { execProcess } from '../../../rules/oci/config.ts';
import type { OciConfig } from '../../../rules/oci/runtime-spec.ts';
import type { Place } from '../../containers/places.ts';
import { createOnce, jsonIn } from '../../linux/whole-files.ts';
import { CONFIG_FILE } from '../bundles/bundle.ts';
import { runtimeId } from '../containers/names.ts';
import type { OciParts } from '../containers/parts.ts';
import { attemptFolder, readRecord, readStarted } from '../containers/records.ts';
import { type RunningContainer, stillRunning } from '../containers/running.ts';
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

/** What a command is, besides its words. */
export interface CommandKind {
  readonly isTerminal?: boolean;
  /** Whether the same words come again and again, as those of a probe: the file of what it runs as stays until the container is removed. */
  readonly isRepeated?: boolean;
}

type Subject = Pick<RunningContainer, 'record' | 'program'>;

/** No file is read of a container that is known to run. Rejects if it does not run. */
const subjectOf = async (parts: OciParts, place: Place): Promise<Subject> => {
  const known = stillRunning(parts.running, place);
  if (known) return known;
  const record = readRecord(place);
  const program = record && readStarted(place, record);
  if (!program || (await settle(parts, place))?.is !== 'running')
    throw new Error(`container ${place.id} is not running`);
  return { record, program };
};

const removeFile = (path: string): void => {
  try {
    unlinkSync(path);
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ENOENT')) throw error;
  }
};

/** In one attempt the words decide what a command runs as. */
const keptFile = (attempt: string, words: readonly string[]): string =>
  join(attempt, `process-${createHash('sha256').update(JSON.stringify(words)).digest('hex')}.json`);

const processOf = (place: Place, attempt: string, words: readonly string[], isTerminal: boolean) => {
  const config = jsonIn<OciConfig>(join(attempt, CONFIG_FILE));
  if (!config) throw new Error(`container ${place.id} has no configuration`);
  return execProcess(config, words, isTerminal);
};

/** Rejects if the container does not run. */
export const prepareCommand = async (
  parts: OciParts,
  place: Place,
  words: readonly string[],
  { isTerminal = false, isRepeated = false }: CommandKind = {},
): Promise<Command> => {
  const { record, program } = await subjectOf(parts, place);
  const attempt = attemptFolder(place, record);
  const name = `e-${randomUUID()}`;
  const [pidFile, terminalFile] = [join(attempt, `${name}.pid`), join(attempt, `${name}.terminal`)];
  // Without control groups each command has a mark of its own in its environment.
  const isKept = isRepeated && !parts.agent.rootless;
  const file = isKept ? keptFile(attempt, words) : join(attempt, `${name}.json`);
  const runs = isKept && existsSync(file) ? undefined : processOf(place, attempt, words, isTerminal);
  const { options, environment, kill, forget } = commandGroup(parts, place, { name, pidFile, program });
  if (runs) createOnce(file, JSON.stringify({ ...runs, env: [...runs.env, ...environment] }));
  const own = ['--process', file, '--pid-file', pidFile, ...options];
  return {
    words: ['--root', parts.programs.runtime.stateFolder, 'exec', ...own, runtimeId(place)],
    terminalFile,
    hasBegun: () => existsSync(pidFile),
    kill,
    forget: () => {
      for (const path of isKept ? [pidFile] : [pidFile, terminalFile, file]) removeFile(path);
      forget();
    },
  };
};
