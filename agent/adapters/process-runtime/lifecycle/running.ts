/** Containers that were seen to run. As long as the same main process lives, nothing of them has changed, and no file is read again. */
import type { RuntimeContainer } from '../../../rules/containers/runtime-status.ts';
import type { ProcessMark } from '../../../rules/runtime/container-state.ts';
import type { Place } from '../../containers/places.ts';
import { hasProcess, isAlive } from '../../linux/processes.ts';
import type { LogPlace } from '../logs/logs.ts';

export interface RunningContainer {
  readonly main: ProcessMark;
  readonly container: RuntimeContainer;
  readonly log: LogPlace;
}

/** By id. */
export type RunningContainers = Map<string, RunningContainer>;

/** What is known of the container; `undefined`: its main process is gone, or nothing is known. */
export const stillRunning = (all: RunningContainers, { id }: Place): RunningContainer | undefined => {
  const known = all.get(id);
  if (known && isAlive(known.main)) return known;
  all.delete(id);
  return undefined;
};

/**
 * Whether a process with the number of its main process is there. This takes no file, so it may be asked often. A number that was
 * given to another process is found out when the pod has its next turn.
 */
export const seemsToRun = (all: RunningContainers, { id }: Place): boolean => {
  const known = all.get(id);
  return known !== undefined && hasProcess(known.main.pid);
};
