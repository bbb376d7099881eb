/** Containers that agents of version 0.1 left, whose runtime was another one. They cannot be taken up: they are ended, and kept with their ends. */
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { EpochMs } from '../../../../shared/kube/values/time.ts';
import type { ContainerSpec } from '../../../ports/machine/runtime.ts';
import type { Place } from '../../containers/places.ts';
import { PRIVATE_FOLDER } from '../../linux/closed-folder.ts';
import { jsonIn, textIn } from '../../linux/whole-files.ts';
import { exitFile } from '../bundles/conmon.ts';
import { runtimeId } from './names.ts';
import type { OciParts } from './parts.ts';
import {
  attemptFolder,
  type OciRecord,
  readRecord,
  writeLost,
  writeRecord,
  writeStarted,
} from './records.ts';

interface FormerRecord {
  readonly spec: ContainerSpec;
  readonly createdAt: EpochMs;
  readonly logFile: string;
}

/** Name of the attempt that such a container never had. */
const FORMER_ATTEMPT = 'former';

/** Its log has another format, which only people can read: it goes with the pod. */
export const hasFormerLog = ({ attempt }: OciRecord): boolean => attempt === FORMER_ATTEMPT;

/** Its right to start was in a file. */
export const isOfFormerRuntime = (place: Place): boolean =>
  existsSync(join(place.folder, 'claim')) && readRecord(place) === undefined;

/** The file `exit`: `<code> <processes ended for want of memory>`, and ` unknown` behind a code that is made up. */
const exitCodeOf = ({ folder }: Place): string | undefined =>
  /^(\d+) \d+\n$/.exec(textIn(join(folder, 'exit')) ?? '')?.[1];

/** It runs no more, and is kept with the code that its shim has stored, or as one whose end nothing tells. */
const keepFormer = (parts: OciParts, place: Place): void => {
  const former = jsonIn<FormerRecord>(join(place.folder, 'spec.json'));
  if (!former) return;
  const { spec, createdAt, logFile } = former;
  const code = exitCodeOf(place);
  const attempt = { attempt: FORMER_ATTEMPT };
  const end = exitFile(attemptFolder(place, attempt), runtimeId(place));
  mkdirSync(dirname(end), { recursive: true, mode: PRIVATE_FOLDER });
  if (code !== undefined) writeFileSync(end, code);
  else writeLost(place, parts.now());
  writeStarted(place, { ...attempt, pid: 0, startTime: '' });
  // From here on it is one of this runtime.
  writeRecord(place, { ...attempt, spec, createdAt, bootId: '', logFile });
};

/** Its shim ends first, so that it stores no code of this kill. */
export const endFormer = async (parts: OciParts, place: Place): Promise<void> => {
  const { groups, places } = parts;
  for (const group of [places.shimGroup(place.key.podUid), place.group]) await groups.kill(group);
  keepFormer(parts, place);
  groups.remove(place.group);
};
