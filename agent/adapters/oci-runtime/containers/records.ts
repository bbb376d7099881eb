/** What is kept of a container beside the bundle of its attempt. */
import { join } from 'node:path';
import type { EpochMs } from '../../../../shared/kube/values/time.ts';
import type { ContainerSpec } from '../../../ports/machine/runtime.ts';
import type { ProcessMark } from '../../../rules/machine/process-mark.ts';
import { createPlaces, type Place } from '../../containers/places.ts';
import { makeFolder, PRIVATE_FOLDER } from '../../linux/closed-folder.ts';
import { readBootId } from '../../linux/processes.ts';
import { createOnce, jsonIn, replaceFile } from '../../linux/whole-files.ts';

/** The file `spec.json`. */
export interface OciRecord {
  readonly spec: ContainerSpec;
  readonly createdAt: EpochMs;
  readonly bootId: string;
  readonly logFile: string;
  /** Name of the folder of the attempt, below that of the container. */
  readonly attempt: string;
}

/** The file `started`, stored before the runtime is asked to start the program: the first process of the attempt. */
export interface Started extends ProcessMark {
  readonly attempt: string;
}

/** The file `lost`: the program has ended, and no keeper has stored how. */
interface Lost {
  readonly at: EpochMs;
}

const RECORD = 'spec.json';
const STARTED = 'started';
const LOST = 'lost';

/** `undefined`: there is no such container, or nothing is known of it. */
export const readRecord = ({ folder }: Place): OciRecord | undefined => {
  const record = jsonIn<Partial<OciRecord>>(join(folder, RECORD));
  return record?.attempt === undefined ? undefined : (record as OciRecord);
};

export const writeRecord = ({ folder }: Place, record: OciRecord): void => {
  makeFolder(folder, PRIVATE_FOLDER);
  replaceFile(join(folder, RECORD), JSON.stringify(record));
};

/** `undefined`: the program of this attempt was not started. */
export const readStarted = ({ folder }: Place, { attempt }: OciRecord): Started | undefined => {
  const started = jsonIn<Started>(join(folder, STARTED));
  return started?.attempt === attempt ? started : undefined;
};

export const writeStarted = ({ folder }: Place, started: Started): void =>
  replaceFile(join(folder, STARTED), JSON.stringify(started));

export const readLost = ({ folder }: Place): Lost | undefined => jsonIn<Lost>(join(folder, LOST));

/** The first instant counts. */
export const writeLost = ({ folder }: Place, at: EpochMs): void => {
  createOnce(join(folder, LOST), JSON.stringify({ at } satisfies Lost));
};

export const attemptFolder = ({ folder }: Place, { attempt }: Pick<OciRecord, 'attempt'>): string =>
  join(folder, attempt);

/** Whether containers of this runtime may run on the machine since its last boot. `root`: the folder of the runtime. */
export const leftBundles = (root: string): boolean => {
  const places = createPlaces(root, '', '');
  const bootId = readBootId();
  return places
    .podUids()
    .some((uid) => places.containers(uid).some((place) => readRecord(place)?.bootId === bootId));
};
