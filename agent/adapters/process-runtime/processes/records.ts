/** What the runtime keeps on disk: a folder for each pod, and in it one for each container. */
import { existsSync, readdirSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { EpochMs } from '../../../../shared/kube/values/time.ts';
import type { ContainerSpec, SandboxSpec } from '../../../ports/machine/runtime.ts';
import {
  type ContainerKey,
  containerFolder,
  containerId,
  isSafeName,
} from '../../../rules/runtime/container-id.ts';
import {
  type Claim,
  claimIn,
  type Exit,
  exitIn,
  exitText,
  type FoundState,
  foundState,
  mainIn,
  type ProcessMark,
} from '../../../rules/runtime/container-state.ts';
import { isAlive, ownMark } from '../../linux/processes.ts';
import { createOnce, HALF_MADE, jsonIn, replaceFile, textIn } from '../../linux/whole-files.ts';

/** Of a pod: `pod.json`. */
export interface PodRecord {
  readonly spec: SandboxSpec;
  readonly createdAt: EpochMs;
  readonly bootId: string;
  /** Of which it has a user of its own; of runtimes that isolate. */
  readonly slot?: number;
}

/** Of a container: `spec.json`. */
export interface ContainerRecord {
  readonly spec: ContainerSpec;
  readonly createdAt: EpochMs;
  readonly logFile: string;
  /** Whether it has mounts and a host name of its own. */
  readonly hasNamespaces: boolean;
}

/** A container's place on disk and among control groups. */
export interface Place {
  readonly key: ContainerKey;
  readonly id: string;
  readonly folder: string;
  readonly group: string;
}

/** What the files say. */
export interface Found {
  readonly state: FoundState;
  readonly claim?: Claim;
  readonly main?: ProcessMark;
  readonly exit?: Exit;
}

/** Folders below `root`, and control groups below `podsCgroup`. */
export interface Places {
  /** Where agents before this one left what they were deleting. */
  readonly formerTrash: string;
  readonly podUids: () => readonly string[];
  readonly podFolder: (uid: string) => string;
  readonly podGroup: (uid: string) => string;
  readonly shimGroup: (uid: string) => string;
  readonly container: (key: ContainerKey) => Place;
  readonly containers: (uid: string) => readonly Place[];
  /** What was being made when an agent was killed. */
  readonly halfMade: () => readonly string[];
}

const namesIn = (folder: string): readonly string[] => (existsSync(folder) ? readdirSync(folder) : []);

const FOLDER = /^(.+)_(\d+)$/;

/** The layout of `root`. */
export const createPlaces = (root: string, podsCgroup: string): Places => {
  const pods = join(root, 'pods');
  const podFolder = (uid: string): string => join(pods, uid);
  const podGroup = (uid: string): string => `${podsCgroup}/pod${uid}`;
  const container = (key: ContainerKey): Place => {
    const name = containerFolder(key);
    return {
      key,
      id: containerId(key),
      folder: join(podFolder(key.podUid), name),
      group: `${podGroup(key.podUid)}/${name}`,
    };
  };
  const podUids = (): readonly string[] => namesIn(pods).filter(isSafeName);
  return {
    formerTrash: join(root, 'trash'),
    podUids,
    podFolder,
    podGroup,
    shimGroup: (uid) => `${podGroup(uid)}/shim`,
    container,
    containers: (podUid) =>
      namesIn(podFolder(podUid)).flatMap((entry) => {
        const [, name, count] = FOLDER.exec(entry) ?? [];
        if (name === undefined || !isSafeName(name)) return [];
        return [container({ podUid, name, restartCount: Number(count) })];
      }),
    halfMade: () =>
      [pods, ...podUids().map(podFolder)].flatMap((folder) =>
        namesIn(folder)
          .filter((name) => name.startsWith(HALF_MADE))
          .map((name) => join(folder, name)),
      ),
  };
};

/** `undefined`: there is no such pod, or nothing is known of it. */
export const readPod = (folder: string): PodRecord | undefined => jsonIn<PodRecord>(join(folder, 'pod.json'));

/** Replaces what is known of a pod. */
export const writePod = (folder: string, record: PodRecord): void =>
  replaceFile(join(folder, 'pod.json'), JSON.stringify(record));

/** `undefined`: there is no such container, or nothing is known of it. */
export const readContainer = ({ folder }: Place): ContainerRecord | undefined =>
  jsonIn<ContainerRecord>(join(folder, 'spec.json'));

/** Reads the marks of a container and asks the machine whether their processes live. */
export const findContainer = ({ folder }: Place, bootId: string): Found => {
  const read = <T>(name: string, parse: (text: string) => T | undefined): T | undefined =>
    parse(textIn(join(folder, name)) ?? '');
  const [claim, main, exit] = [read('claim', claimIn), read('main', mainIn), read('exit', exitIn)];
  const marks = { ...(claim && { claim }), ...(main && { main }), ...(exit && { exit }) };
  return { state: foundState({ ...marks, bootId, isAlive }), ...marks };
};

/** Takes the right to start the container, so that no shim that is still to come starts it; answers whether it was free. */
export const claimForAgent = ({ folder }: Place, bootId: string): boolean => {
  const { pid, startTime } = ownMark();
  return createOnce(join(folder, 'claim'), `${pid} ${startTime} ${bootId}\n`);
};

/** Writes down how the container ended, unless somebody has. */
export const writeExit = ({ folder }: Place, exit: Exit): boolean =>
  createOnce(join(folder, 'exit'), exitText(exit));

/** When the file was written; `undefined` if nothing is in it yet. */
export const writtenAt = ({ folder }: Place, name: 'main' | 'exit'): EpochMs | undefined => {
  const stat = statSync(join(folder, name), { throwIfNoEntry: false });
  return stat && stat.size > 0 ? Math.floor(stat.mtimeMs) : undefined;
};

/** The folder of its logs, and the name of the newest. */
export const logPlace = ({
  logFile,
}: ContainerRecord): { readonly folder: string; readonly name: string } => ({
  folder: logFile.slice(0, logFile.lastIndexOf('/')),
  name: basename(logFile),
});
