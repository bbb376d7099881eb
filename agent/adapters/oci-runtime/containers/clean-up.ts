/** What an agent does when it begins, about what agents before it left. Rule J-169. */
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Place, Places } from '../../containers/places.ts';
import { readPod } from '../../containers/pod-record.ts';
import { makeFolder, PRIVATE_FOLDER } from '../../linux/closed-folder.ts';
import { namesIn } from '../../linux/names-in.ts';
import { deleteContainer } from '../bundles/runtime-calls.ts';
import { endFormer, isOfFormerRuntime } from './former.ts';
import { keeperGroup, runtimeId } from './names.ts';
import type { OciParts } from './parts.ts';
import { readRecord } from './records.ts';
import { freeParts } from './volume-parts.ts';

/** All containers of all pods that are kept. */
export const allPlaces = (places: Places): readonly Place[] =>
  places.podUids().flatMap((uid) => places.containers(uid));

/** Whether the runtime still has a container of this place. */
const hasContainer = ({ programs: { runtime } }: OciParts, place: Place): boolean =>
  existsSync(join(runtime.stateFolder, runtimeId(place)));

/** Ends what runs in a container of which no record is left, and its keeper. */
export const endUnrecorded = async (parts: OciParts, place: Place): Promise<void> => {
  const { groups, programs } = parts;
  const all = [place.group, keeperGroup(place)].filter((group) => groups.exists(group));
  if (all.length === 0 && !hasContainer(parts, place)) return;
  for (const group of all) await groups.kill(group);
  await deleteContainer(programs.runtime, runtimeId(place));
  for (const group of all) groups.remove(group);
};

const discardContainer = async (parts: OciParts, place: Place): Promise<void> => {
  await endUnrecorded(parts, place);
  for (const name of readdirSync(place.folder)) await freeParts(join(place.folder, name));
  await parts.trash.discard(place.folder);
};

/** A record that the disk has lost or damaged is none, and what was half made when an agent was killed has none. */
const discardDamaged = async (parts: OciParts): Promise<void> => {
  const { places, trash, groups } = parts;
  for (const folder of [...places.halfMade(), places.formerTrash]) await trash.discard(folder);
  for (const uid of places.podUids()) {
    const isLost = readPod(places.podFolder(uid)) === undefined;
    for (const place of places.containers(uid))
      if (isLost || readRecord(place) === undefined) await discardContainer(parts, place);
    if (!isLost) continue;
    await trash.discard(places.podFolder(uid));
    groups.remove(places.podGroup(uid));
  }
};

const endUnknownGroups = async ({ groups, places }: OciParts, podsCgroup: string): Promise<void> => {
  const known = new Set(places.podUids().map(places.podGroup));
  for (const name of groups.children(podsCgroup)) {
    const group = `${podsCgroup}/${name}`;
    if (known.has(group)) continue;
    for (const child of groups.children(group)) await groups.kill(`${group}/${child}`);
    groups.remove(group);
  }
};

/** The runtime keeps a folder for each of its containers. */
const deleteUnknown = async ({ programs: { runtime }, places }: OciParts): Promise<void> => {
  const known = new Set(allPlaces(places).map(runtimeId));
  const folder = runtime.stateFolder;
  for (const id of namesIn(folder)) if (!known.has(id)) await deleteContainer(runtime, id);
};

/** Ends what no pod of this runtime has. Rejects if the machine refuses that. */
export const cleanUp = async (parts: OciParts, podsCgroup: string): Promise<void> => {
  makeFolder(parts.programs.runtime.stateFolder, PRIVATE_FOLDER);
  for (const place of allPlaces(parts.places)) if (isOfFormerRuntime(place)) await endFormer(parts, place);
  await discardDamaged(parts);
  await endUnknownGroups(parts, podsCgroup);
  await deleteUnknown(parts);
};
