/** What an agent does when it begins, about what agents before it left. */
import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Place, Places } from '../../containers/places.ts';
import { makeFolder, PRIVATE_FOLDER } from '../../linux/closed-folder.ts';
import { findContainer, readContainer } from '../../process-runtime/processes/records.ts';
import { exitFile } from '../bundles/conmon.ts';
import { deleteContainer } from '../bundles/runtime-calls.ts';
import { runtimeId } from './names.ts';
import type { OciParts } from './parts.ts';
import {
  attemptFolder,
  FORMER_ATTEMPT,
  isOfFormerRuntime,
  writeLost,
  writeRecord,
  writeStarted,
} from './records.ts';

/** All containers of all pods that are kept. */
export const allPlaces = (places: Places): readonly Place[] =>
  places.podUids().flatMap((uid) => places.containers(uid));

/** It runs no more, and is kept with the code that its shim has stored, or as one whose end nothing tells. */
const keepFormer = (parts: OciParts, place: Place): void => {
  const former = readContainer(place);
  if (!former) return;
  const { spec, createdAt, logFile } = former;
  const { exit } = findContainer(place, parts.bootId);
  const attempt = { attempt: FORMER_ATTEMPT };
  const end = exitFile(attemptFolder(place, attempt), runtimeId(place));
  mkdirSync(dirname(end), { recursive: true, mode: PRIVATE_FOLDER });
  if (exit && !exit.isUnknown) writeFileSync(end, String(exit.code));
  else writeLost(place, parts.now());
  writeStarted(place, { ...attempt, pid: 0, startTime: '' });
  // From here on it is one of this runtime.
  writeRecord(place, { ...attempt, spec, createdAt, bootId: '', logFile });
};

/** A container of agents before this runtime cannot be taken up. Its shim ends first, so that it stores no code of this kill. */
const endFormer = async (parts: OciParts, place: Place): Promise<void> => {
  const { groups, places } = parts;
  for (const group of [places.shimGroup(place.key.podUid), place.group]) await groups.kill(group);
  keepFormer(parts, place);
  groups.remove(place.group);
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
  for (const id of existsSync(folder) ? readdirSync(folder) : [])
    if (!known.has(id)) await deleteContainer(runtime, id);
};

/** Ends what no pod of this runtime has. Rejects if the machine refuses that. */
export const cleanUp = async (parts: OciParts, podsCgroup: string): Promise<void> => {
  makeFolder(parts.programs.runtime.stateFolder, PRIVATE_FOLDER);
  for (const place of allPlaces(parts.places)) if (isOfFormerRuntime(place)) await endFormer(parts, place);
  await endUnknownGroups(parts, podsCgroup);
  await deleteUnknown(parts);
};
