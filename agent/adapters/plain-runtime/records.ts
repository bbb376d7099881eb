/** What plain mode keeps of pods: in memory, and on disk for the next agent. */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { EpochMs } from '../../../shared/kube/values/time.ts';
import type { ContainerSpec, PodIdentity, SandboxSpec } from '../../ports/machine/runtime.ts';
import type { Trash } from '../../ports/machine/trash.ts';
import {
  type ContainerKey,
  containerFolder,
  containerId,
  isSafeName,
} from '../../rules/containers/container-id.ts';
import type { Exit } from '../../rules/containers/exit.ts';
import type { LogBounds } from '../../rules/logs/log-bounds.ts';
import type { ProcessMark } from '../../rules/machine/process-mark.ts';
import { textAtMost } from '../linux/bounded-file.ts';
import { createFolder, HALF_MADE, replaceFile } from '../linux/whole-files.ts';
import type { Launched, Surroundings } from './launch.ts';

/** Where the runtime keeps what. */
export interface PlainRuntimeOptions {
  /** Folder of the runtime alone. */
  readonly root: string;
  readonly trash: Trash;
  readonly version: string;
  readonly now: () => EpochMs;
  readonly logs: LogBounds;
  /** As whom the agent runs. */
  readonly user: { readonly name: string; readonly uid: number; readonly gid: number };
  /** Hears of what failed in the background. */
  readonly report: (error: unknown) => void;
}

/** `spec.json` of a container. Its environment, which may have Secrets, is not written down. */
export interface ContainerRecord extends Pick<ContainerSpec, 'name' | 'restartCount' | 'image'> {
  readonly createdAt: EpochMs;
  readonly logFile: string;
}

/** `main.json`: its first process. */
export interface MainRecord extends ProcessMark {
  readonly bootId: string;
  readonly startedAt: EpochMs;
}

/** `end.json`. */
export interface EndRecord {
  readonly exit: Exit;
  /** Whether the program was started. */
  readonly hasRun: boolean;
  readonly finishedAt: EpochMs;
  readonly message: string;
}

/** A container whose program runs. */
export interface Running extends Launched {
  readonly spec: ContainerSpec;
  readonly main: MainRecord;
  readonly surroundings: Surroundings;
  /** Resolves when the end is written down. */
  readonly ended: Promise<void>;
}

/** A container. */
export interface Kept {
  readonly id: string;
  readonly folder: string;
  readonly record: ContainerRecord;
  main?: MainRecord;
  end?: EndRecord;
  /** Absent: the program has ended, or does not run yet. */
  running?: Running;
  /** Settles with the start; absent: it was one of an agent before. */
  started?: Promise<void>;
}

/** `pod.json`. */
export interface PodRecord extends Pick<SandboxSpec, 'hostname' | 'logFolder'> {
  readonly pod: PodIdentity;
  readonly createdAt: EpochMs;
  readonly bootId: string;
}

export interface KeptPod {
  record: PodRecord;
  readonly folder: string;
  /** By id. */
  readonly containers: Map<string, Kept>;
}

/** What the functions of the runtime share. */
export interface Parts {
  readonly options: PlainRuntimeOptions;
  readonly bootId: string;
  /** Path of the program that makes pipes. */
  readonly mkfifo: string;
  /** By uid. */
  readonly pods: Map<string, KeptPod>;
  /** Told of the pods whose containers have ended. */
  readonly callbacks: Set<(podUid: string) => void>;
  /** Whether the agent ends: nothing more is started. */
  isClosing: boolean;
}

/** Its name: containers are processes. */
export const PLAIN = 'process';

export const podFolder = (root: string, uid: string): string => join(root, 'pods', uid);

/** The id and the folder of a container. */
export const placeOf = (root: string, key: ContainerKey): Pick<Kept, 'id' | 'folder'> => ({
  id: containerId(PLAIN, key),
  folder: join(podFolder(root, key.podUid), containerFolder(key)),
});

/** The latest instant that is written down of the pod; 0: none is. */
export const latestOf = (pod: KeptPod | undefined): EpochMs =>
  Math.max(
    pod?.record.createdAt ?? 0,
    ...[...(pod?.containers.values() ?? [])].map(({ record }) => record.createdAt),
  );

/** Writes the pod down, whether or not it is known. */
export const writePod = (folder: string, record: PodRecord, isKnown: boolean): void => {
  const text = JSON.stringify(record);
  if (isKnown) replaceFile(join(folder, 'pod.json'), text);
  else createFolder(folder, { 'pod.json': text });
};

export const writeContainer = (folder: string, record: ContainerRecord): void =>
  createFolder(folder, { 'spec.json': JSON.stringify(record) });

export const writeMain = ({ folder }: Kept, main: MainRecord): void =>
  replaceFile(join(folder, 'main.json'), JSON.stringify(main));

export const writeEnd = ({ folder }: Kept, end: EndRecord): void =>
  replaceFile(join(folder, 'end.json'), JSON.stringify(end));

/** Bytes. Records are short, and pods of the same user can write to them. */
const MOST_RECORD = 64 * 1024;

const parsed = async <T>(path: string): Promise<T | undefined> => {
  try {
    return JSON.parse(await textAtMost(path, MOST_RECORD)) as T;
  } catch {
    return undefined;
  }
};

/** `undefined`: nothing is known of it. */
export const readPod = (folder: string): Promise<PodRecord | undefined> => parsed(join(folder, 'pod.json'));

/** `undefined`: nothing is known of it. */
export const readContainer = async (place: Pick<Kept, 'id' | 'folder'>): Promise<Kept | undefined> => {
  const read = <T>(name: string): Promise<T | undefined> => parsed<T>(join(place.folder, name));
  const record = await read<ContainerRecord>('spec.json');
  if (!record) return undefined;
  const kept: Kept = { ...place, record };
  const [main, end] = [await read<MainRecord>('main.json'), await read<EndRecord>('end.json')];
  if (main) kept.main = main;
  if (end) kept.end = end;
  return kept;
};

const namesIn = (folder: string): readonly string[] => {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
};

const FOLDER = /^(.+)_(\d+)$/;

/** What is below the root: pods, and what was being made when an agent was killed. */
export const podsIn = (root: string) => {
  const names = namesIn(join(root, 'pods'));
  return {
    uids: names.filter(isSafeName),
    halfMade: names.filter((name) => name.startsWith(HALF_MADE)).map((name) => podFolder(root, name)),
  };
};

/** The same of a pod. */
export const containersIn = (root: string, podUid: string) => {
  const names = namesIn(podFolder(root, podUid));
  const halfMade = names.filter((name) => name.startsWith(HALF_MADE));
  const places = names.flatMap((entry) => {
    const [, name, count] = FOLDER.exec(entry) ?? [];
    if (name === undefined || !isSafeName(name)) return [];
    return [placeOf(root, { podUid, name, restartCount: Number(count) })];
  });
  return { places, halfMade: halfMade.map((name) => join(podFolder(root, podUid), name)) };
};
