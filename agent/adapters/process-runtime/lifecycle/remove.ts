/** Removes containers and pods, with all that they left. */
import { rmdirSync } from 'node:fs';
import { isSafeName } from '../../../rules/runtime/container-id.ts';
import type { Place } from '../../containers/places.ts';
import { readPod } from '../../containers/pod-record.ts';
import { removeLog } from '../logs/logs.ts';
import { logPlace, readContainer } from '../processes/records.ts';
import type { Parts } from './parts.ts';
import { stopContainer } from './stop.ts';

const removeFolderIfEmpty = (folder: string): void => {
  try {
    rmdirSync(folder);
  } catch {
    // Somebody else keeps something there, or it is gone.
  }
};

/** Ends the container and deletes its log. */
const endWithLog = async ({ machine, ends }: Parts, place: Place): Promise<void> => {
  await stopContainer(machine, place, 0);
  ends.drop(place);
  const record = readContainer(place);
  if (!record) return;
  removeLog(logPlace(record));
  removeFolderIfEmpty(logPlace(record).folder);
};

const forget = ({ machine, ended, running }: Parts, place: Place): void => {
  machine.groups.remove(place.group);
  ended.delete(place.id);
  running.delete(place.id);
  machine.reaped.delete(place.id);
};

/** Ends the container if it runs. */
export const removeContainer = async (parts: Parts, place: Place): Promise<void> => {
  await endWithLog(parts, place);
  await parts.machine.trash.discard(place.folder);
  forget(parts, place);
};

/** The pod goes with all of its containers at once, so that nobody finds a part of them and starts the others again. */
export const removePod = async (parts: Parts, uid: string): Promise<void> => {
  if (!isSafeName(uid)) return;
  const { places, groups, trash } = parts.machine;
  const all = places.containers(uid);
  for (const place of all) await endWithLog(parts, place);
  // A pod whose folder is gone is not known any more, so its logs go first, with those of containers that never ran.
  const logFolder = readPod(places.podFolder(uid))?.spec.logFolder;
  if (logFolder !== undefined) await trash.discard(logFolder);
  await trash.discard(places.podFolder(uid));
  for (const place of all) forget(parts, place);
  await groups.kill(places.shimGroup(uid));
  groups.remove(places.podGroup(uid));
};
