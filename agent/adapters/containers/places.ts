/** Where a runtime keeps its containers: a folder for each pod, and in it one for each container; control groups likewise. */
import { join } from 'node:path';
import {
  type ContainerKey,
  containerFolder,
  containerId,
  isSafeName,
} from '../../rules/containers/container-id.ts';
import { namesIn } from '../linux/names-in.ts';
import { HALF_MADE } from '../linux/whole-files.ts';

/** A container's place on disk and among control groups. */
export interface Place {
  readonly key: ContainerKey;
  readonly id: string;
  readonly folder: string;
  readonly group: string;
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

const FOLDER = /^(.+)_(\d+)$/;

/** The layout of `root`. `runtime`: the name that the ids of containers begin with. */
export const createPlaces = (root: string, podsCgroup: string, runtime: string): Places => {
  const pods = join(root, 'pods');
  const podFolder = (uid: string): string => join(pods, uid);
  const podGroup = (uid: string): string => `${podsCgroup}/pod${uid}`;
  const container = (key: ContainerKey): Place => {
    const name = containerFolder(key);
    return {
      key,
      id: containerId(runtime, key),
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
