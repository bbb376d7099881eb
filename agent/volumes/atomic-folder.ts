/**
 * Files that change all at once: `..data` leads to a folder with all of them, and is replaced in one step. Source: kubernetes
 * v1.34 pkg/volume/util `AtomicWriter`.
 */
import {
  chmod,
  chown,
  mkdir,
  mkdtemp,
  readdir,
  readlink,
  rename,
  rm,
  symlink,
  writeFile,
} from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { EpochMs } from '../../shared/kube/values/time.ts';
import { openRegular, readAtMost } from '../adapters/linux/bounded-file.ts';
import type { Payload, PayloadFile } from '../rules/volumes/payload.ts';

const DATA = '..data';
const NEW_DATA = '..data_tmp';
/** Users reach files by links; what begins with two dots is of this module. */
const HIDDEN = /^\.\./;

/** Group that may read the files; absent: that of the agent. */
export interface FolderOwner {
  readonly gid?: number;
}

const orUndefined = async <T>(read: Promise<T>): Promise<T | undefined> => await read.catch(() => undefined);

const modeOf = ({ mode }: PayloadFile, { gid }: FolderOwner): number =>
  gid === undefined ? mode : mode | 0o440;

/** A container that runs as root may have changed its files. */
const isSame = async (path: string, file: PayloadFile, owner: FolderOwner): Promise<boolean> => {
  const found = await openRegular(path);
  try {
    const { mode, uid } = await found.stat();
    const data = await readAtMost(found, 0, file.data.length + 1);
    return (
      Buffer.compare(data, file.data) === 0 &&
      (mode & 0o7777) === modeOf(file, owner) &&
      (file.uid === undefined || file.uid === uid)
    );
  } finally {
    await found.close();
  }
};

const filesBelow = async (folder: string): Promise<readonly string[]> => {
  const found = await readdir(folder, { recursive: true, withFileTypes: true });
  return found
    .filter((one) => one.isFile())
    .map((one) => join(one.parentPath, one.name).slice(folder.length + 1));
};

/** Whether the folder has these files, and no others. */
const isUpToDate = async (folder: string, payload: Payload, owner: FolderOwner): Promise<boolean> => {
  const there = await orUndefined(filesBelow(join(folder, DATA)));
  if (there?.length !== payload.size || !there.every((path) => payload.has(path))) return false;
  for (const [path, file] of payload)
    if (!(await orUndefined(isSame(join(folder, DATA, path), file, owner)))) return false;
  return true;
};

const own = async (path: string, uid: number | undefined, { gid }: FolderOwner): Promise<void> => {
  if (uid !== undefined || gid !== undefined)
    await chown(path, uid ?? process.getuid?.() ?? 0, gid ?? process.getgid?.() ?? 0);
};

/** `2006_01_02_15_04_05.` */
const stamp = (now: EpochMs): string =>
  `..${new Date(now).toISOString().slice(0, 19).replaceAll(/[-T:]/g, '_')}.`;

const writeAll = async (folder: string, payload: Payload, owner: FolderOwner): Promise<void> => {
  await chmod(folder, 0o755);
  for (const [path, file] of payload) {
    const target = join(folder, path);
    await mkdir(dirname(target), { recursive: true, mode: 0o755 });
    await writeFile(target, file.data);
    await own(target, file.uid, owner);
    // After the owner, whose change takes bits away; and whatever the agent's own mask is.
    await chmod(target, modeOf(file, owner));
  }
};

const topOf = (path: string): string => path.split('/')[0] ?? path;

/** Makes the links of new files, and removes those of files that are gone. */
const link = async (folder: string, payload: Payload): Promise<void> => {
  const wanted = new Set([...payload.keys()].map(topOf));
  const there = new Set((await readdir(folder)).filter((name) => !HIDDEN.test(name)));
  for (const name of wanted) if (!there.has(name)) await symlink(join(DATA, name), join(folder, name));
  for (const name of there) if (!wanted.has(name)) await rm(join(folder, name), { recursive: true });
};

/** Folders of before, and those that an agent left which was killed. */
const removeOld = async (folder: string, current: string): Promise<void> => {
  for (const name of await readdir(folder))
    if (HIDDEN.test(name) && name !== DATA && name !== current)
      await rm(join(folder, name), { recursive: true });
};

/** Whether the folder was written before. */
export const isWritten = async (folder: string): Promise<boolean> =>
  (await orUndefined(readlink(join(folder, DATA)))) !== undefined;

/** Makes the folder have exactly these files. Readers see the old ones or the new ones. */
export const writeAtomically = async (
  folder: string,
  payload: Payload,
  owner: FolderOwner,
  now: EpochMs,
): Promise<void> => {
  await mkdir(folder, { recursive: true, mode: 0o755 });
  if (!(await isUpToDate(folder, payload, owner))) {
    const next = await mkdtemp(join(folder, stamp(now)));
    await writeAll(next, payload, owner);
    await rm(join(folder, NEW_DATA), { force: true });
    await symlink(next.slice(folder.length + 1), join(folder, NEW_DATA));
    await rename(join(folder, NEW_DATA), join(folder, DATA));
  }
  await link(folder, payload);
  await removeOld(folder, await readlink(join(folder, DATA)));
};
