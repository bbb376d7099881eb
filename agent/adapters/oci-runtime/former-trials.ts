/** What trials of a runtime leave: processes, control groups and a folder; also those of programs that were killed meanwhile. */
import { basename, dirname, join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { removeEverywhere } from '../linux/groups/remove-groups.ts';
import { namesIn } from '../linux/names-in.ts';
import { isAlive, ownMark, processesNaming, sendSignal } from '../linux/processes.ts';
import { removeTree } from '../linux/trees/remove-tree.ts';
import { killKeeper } from './bundles/conmon.ts';
import { deleteContainer, type RuntimePlace } from './bundles/runtime-calls.ts';

/** Begins the names of the folder and of the containers of each trial. */
export const NAME = 'rollcall-trial';
/** In the folder of a trial: what its runtime keeps. */
export const STATE = 'state';

const OF_PROCESS = new RegExp(`^${NAME}-(\\d+)-(\\d+)-`);

/** Begins the name of a folder for a trial of this program, so that another one can tell that it is over. */
export const trialPrefix = (): string => {
  const { pid, startTime } = ownMark();
  return `${NAME}-${pid}-${startTime}-`;
};

const isOver = (name: string): boolean => {
  const [, pid, startTime] = OF_PROCESS.exec(name) ?? [];
  return pid !== undefined && startTime !== undefined && !isAlive({ pid: Number(pid), startTime });
};

/** The container of an attempt, whose folder is `attempt`, and its control group: the name tells whose trial it is. */
export const trialContainer = (attempt: string): string =>
  `${basename(dirname(attempt))}-${basename(attempt)}`;

const SIGKILL = 9;
const ROUND_MS = 10;

/**
 * Ends conmon, and the runtime below it, which may still create the container: each names the folder in its command line. A process that
 * one of them begins meanwhile is found in the next round.
 */
const killPrograms = async (attempt: string, mostMs: number): Promise<void> => {
  const until = performance.now() + mostMs;
  for (let quietRounds = 0; quietRounds < 2 && performance.now() < until; ) {
    const pids = processesNaming(attempt);
    for (const pid of pids) sendSignal(pid, SIGKILL);
    quietRounds = pids.length === 0 ? quietRounds + 1 : 0;
    await wait(ROUND_MS);
  }
};

/** Ends an attempt and takes away all but its folder. The programs go first: what they are about to make would stay. */
export const endAttempt = async (
  attempt: string,
  places: readonly RuntimePlace[],
  mostMs: number,
): Promise<void> => {
  const id = trialContainer(attempt);
  await killKeeper(attempt);
  await killPrograms(attempt, mostMs);
  for (const place of places) await deleteContainer(place, id).catch(() => undefined);
  // What the runtime had begun to make ends by itself when the runtime is gone.
  for (const until = performance.now() + mostMs; !removeEverywhere('/', `/${id}`); await wait(ROUND_MS))
    if (performance.now() > until) return;
};

const removeTrial = async (folder: string, programs: readonly string[], callMs: number): Promise<void> => {
  const places = programs.map((program) => ({ program, stateFolder: join(folder, STATE), callMs }));
  for (const name of namesIn(folder))
    if (name !== STATE) await endAttempt(join(folder, name), places, callMs);
  await removeTree(folder);
};

/** Those in `folder` that no program goes on with. `programs`: paths of the runtimes that are tried. */
export const removeFormerTrials = async (
  folder: string,
  programs: readonly string[],
  callMs: number,
): Promise<void> => {
  for (const name of namesIn(folder).filter(isOver)) await removeTrial(join(folder, name), programs, callMs);
};
