/** What trials of a runtime have left whose programs were killed meanwhile: a folder, and perhaps a container with its keeper. */
import { join } from 'node:path';
import { namesIn } from '../linux/names-in.ts';
import { isAlive, ownMark } from '../linux/processes.ts';
import { removeTree } from '../linux/trees/remove-tree.ts';
import { killKeeper } from './bundles/conmon.ts';
import { deleteContainer } from './bundles/runtime-calls.ts';

/** Of each trial: begins the names of its folder and of its container. */
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

const removeTrial = async (folder: string, programs: readonly string[], callMs: number): Promise<void> => {
  const stateFolder = join(folder, STATE);
  for (const id of namesIn(stateFolder))
    for (const program of programs)
      await deleteContainer({ program, stateFolder, callMs }, id).catch(() => undefined);
  for (const attempt of namesIn(folder)) await killKeeper(join(folder, attempt));
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
