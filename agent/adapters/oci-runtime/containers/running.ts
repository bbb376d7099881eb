/** Containers that run: as long as two processes live, nothing of them has changed, and neither a file nor the runtime has to be asked. */
import type { RuntimeContainer } from '../../../rules/containers/runtime-status.ts';
import type { ProcessMark } from '../../../rules/machine/process-mark.ts';
import type { Place } from '../../containers/places.ts';
import { isAlive, markOf } from '../../linux/processes.ts';
import { keeperPid } from '../bundles/conmon.ts';
import { attemptFolder, type OciRecord, readStarted } from './records.ts';

/** As it was found when it ran. */
export interface RunningContainer {
  readonly record: OciRecord;
  /** In the agent's terms. */
  readonly shown: RuntimeContainer;
  readonly program: ProcessMark;
  readonly keeper: ProcessMark;
}

/** By id. */
export type RunningContainers = Map<string, RunningContainer>;

/** `undefined`: it is not known to run. Two files of `/proc` are read. */
export const stillRunning = (running: RunningContainers, { id }: Place): RunningContainer | undefined => {
  const known = running.get(id);
  if (known && isAlive(known.program) && isAlive(known.keeper)) return known;
  running.delete(id);
  return undefined;
};

/** Notes one that was seen to run. */
export const noteRunning = async (
  running: RunningContainers,
  place: Place,
  record: OciRecord,
  shown: RuntimeContainer,
): Promise<void> => {
  const program = readStarted(place, record);
  const pid = await keeperPid(attemptFolder(place, record));
  const keeper = pid === undefined ? undefined : markOf(pid);
  if (program && keeper) running.set(place.id, { record, shown, program, keeper });
};
