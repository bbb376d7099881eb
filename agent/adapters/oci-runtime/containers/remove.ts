/** Removes containers and pods, with all that they left. */
import { rmdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { isSafeName } from '../../../rules/containers/container-id.ts';
import type { Place } from '../../containers/places.ts';
import { readPod } from '../../containers/pod-record.ts';
import { removeLog } from '../../cri/logs.ts';
import type { OciParts } from './parts.ts';
import { readRecord } from './records.ts';
import { stopContainer } from './stop.ts';

export const removeFolderIfEmpty = (folder: string): void => {
  try {
    rmdirSync(folder);
  } catch {
    // Something is in it, such as the log of a container of another restart count, or it is gone.
  }
};

/** Ends the container and deletes its log. */
const endWithLog = async (parts: OciParts, place: Place): Promise<void> => {
  await stopContainer(parts, place, 0);
  parts.ends.drop(place);
  const record = readRecord(place);
  if (!record) return;
  removeLog(record.logFile);
  removeFolderIfEmpty(dirname(record.logFile));
};

const forget = ({ ended, running, ran, reaped, alone }: OciParts, { id }: Place): void => {
  for (const all of [ended, running, ran, reaped, alone]) all.delete(id);
};

/** Ends the container if it runs. */
export const removeContainer = async (parts: OciParts, place: Place): Promise<void> => {
  await endWithLog(parts, place);
  await parts.trash.discard(place.folder);
  forget(parts, place);
};

/** The pod goes with all of its containers at once, so that nobody finds a part of them and starts the others again. */
export const removePod = async (parts: OciParts, uid: string): Promise<void> => {
  if (!isSafeName(uid)) return;
  const { places, groups, trash } = parts;
  const all = places.containers(uid);
  for (const place of all) await endWithLog(parts, place);
  // A pod whose folder is gone is not known any more, so its logs go first, with those of containers that never ran.
  const logFolder = readPod(places.podFolder(uid))?.spec.logFolder;
  if (logFolder !== undefined) await trash.discard(logFolder);
  await trash.discard(places.podFolder(uid));
  for (const place of all) forget(parts, place);
  groups.remove(places.podGroup(uid));
};
