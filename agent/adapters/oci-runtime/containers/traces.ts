/** Reads what a container has left on the machine. */
import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { optional } from '../../../../shared/kube/values/optional.ts';
import { type Known, known, NOT_KNOWN } from '../../../rules/known.ts';
import type { OciState, Traces } from '../../../rules/oci/recovery.ts';
import type { Place } from '../../containers/places.ts';
import { textAtMost } from '../../linux/bounded-file.ts';
import { isAlive } from '../../linux/processes.ts';
import { exitFile, keeperPid } from '../bundles/conmon.ts';
import { containerState } from '../bundles/runtime-calls.ts';
import { runtimeId } from './names.ts';
import type { OciParts } from './parts.ts';
import { attemptFolder, type OciRecord, readStarted, type Started } from './records.ts';

/** The file of conmon that says that the kernel ended a process for want of memory. */
const OOM_FILE = 'oom';
const MOST_CODE = 16;

const STATES: Readonly<Record<string, OciState>> = {
  creating: 'created',
  created: 'created',
  running: 'running',
  paused: 'running',
  stopped: 'stopped',
};

const askRuntime = async ({ programs }: OciParts, place: Place): Promise<Known<OciState>> => {
  try {
    const state = await containerState(programs.runtime, runtimeId(place));
    return known(state === undefined ? 'nothing' : (STATES[state.status] ?? 'stopped'));
  } catch {
    return NOT_KNOWN;
  }
};

/** The runtime is asked only where the first process does not decide. */
const stateOf = async (parts: OciParts, place: Place, started: Started): Promise<Known<OciState>> => {
  if (!isAlive(started)) return known('stopped');
  if (parts.ran.has(place.id)) return known('running');
  const state = await askRuntime(parts, place);
  // A program that has been started is not created again.
  if (state.isKnown && state.value === 'running') parts.ran.add(place.id);
  return state;
};

/** What the keeper has stored; an empty file is being written. */
const exitOf = async (attempt: string, place: Place): Promise<Traces['exit']> => {
  const path = exitFile(attempt, runtimeId(place));
  const text = (await textAtMost(path, MOST_CODE)).trim();
  const stat = /^\d+$/.test(text) ? statSync(path, { throwIfNoEntry: false }) : undefined;
  return stat && { code: Number(text), at: Math.floor(stat.mtimeMs) };
};

const withoutProgramMs = ({ alone, uptime }: OciParts, { id }: Place, isAlone: boolean): number => {
  if (!isAlone) alone.delete(id);
  else if (!alone.has(id)) alone.set(id, uptime());
  return uptime() - (alone.get(id) ?? uptime());
};

/** The machine has started again since then: no process of it is left. */
const NOTHING_LIVES: Pick<Traces, 'runtime' | 'hasKeeper'> = { runtime: known('nothing'), hasKeeper: false };

/**
 * Reads them in this order: a keeper stores the end of its program before it ends itself, so an end that is not there after the keeper
 * was seen to be gone will never come.
 */
export const readTraces = async (parts: OciParts, place: Place, record: OciRecord): Promise<Traces> => {
  const attempt = attemptFolder(place, record);
  const started = readStarted(place, record);
  const mayLive = record.bootId === parts.bootId && started !== undefined;
  const lives = mayLive
    ? { hasKeeper: (await keeperPid(attempt)) !== undefined, runtime: await stateOf(parts, place, started) }
    : NOTHING_LIVES;
  const { hasKeeper, runtime } = lives;
  const isAlone = hasKeeper && runtime.isKnown && ['stopped', 'nothing'].includes(runtime.value);
  const exit = await exitOf(attempt, place);
  return {
    ...lives,
    isStarted: started !== undefined,
    ...optional('exit', exit),
    isOutOfMemory: existsSync(join(attempt, OOM_FILE)),
    withoutProgramMs: withoutProgramMs(parts, place, isAlone),
  };
};
