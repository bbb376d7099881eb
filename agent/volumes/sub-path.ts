/** A part of a volume, which no link leads out of. Source: kubernetes v1.34 pkg/volume/util/subpath `doSafeOpen`. */
import { type FileHandle, mkdir, open, readlink, realpath } from 'node:fs/promises';
import { sep } from 'node:path';
import { PLACE } from '../adapters/linux/open-place.ts';

/** What is mounted has to be the same file or folder that was looked at: a program may exchange it meanwhile. */
export interface SafePath {
  readonly path: string;
  /** Numbers of its file system and its inode, such as `65024:12`. */
  readonly identity: string;
}

const isWithin = (folder: string, path: string): boolean =>
  path === folder || path.startsWith(`${folder}${sep}`);

/** The path of what is open; no link is in it. */
const pathOf = async ({ fd }: FileHandle): Promise<string> => await readlink(`/proc/self/fd/${fd}`);

const codeOf = (error: unknown): unknown => (error as NodeJS.ErrnoException).code;

/** Opens a member of an open folder, whatever happens to the path of the folder. What is missing becomes a folder. */
const openIn = async (folder: FileHandle, name: string): Promise<FileHandle> => {
  const path = `/proc/self/fd/${folder.fd}/${name}`;
  try {
    return await open(path, PLACE);
  } catch (error) {
    if (codeOf(error) !== 'ENOENT') throw error;
  }
  await mkdir(path, { mode: 0o750 }).catch((error: unknown) => {
    if (codeOf(error) !== 'EEXIST') throw error;
  });
  return await open(path, PLACE);
};

const MOST_LINKS = 40;

/** The parts of the path that a link leads to, from the volume on. Throws if it leads out. */
const targetOf = async (root: string, folder: FileHandle, name: string): Promise<readonly string[]> => {
  const target = await realpath(`/proc/self/fd/${folder.fd}/${name}`);
  if (!isWithin(root, target)) throw new Error(`subpath "${name}" not within volume path`);
  return target.slice(root.length).split(sep).filter(Boolean);
};

const isLink = async (place: FileHandle): Promise<boolean> => (await place.stat()).isSymbolicLink();

/** The member, or the parts of the path to walk in its place. Closes the folder. */
const step = async (
  root: string,
  folder: FileHandle,
  name: string,
): Promise<FileHandle | readonly string[]> => {
  try {
    const place = await openIn(folder, name);
    if (!(await isLink(place))) return place;
    await place.close();
    return await targetOf(root, folder, name);
  } finally {
    await folder.close();
  }
};

/** Walks from the volume, one open folder after the other; a link begins anew with what it led to. */
const walked = async (root: string, parts: readonly string[], links = 0): Promise<FileHandle> => {
  if (links > MOST_LINKS) throw new Error('subpath has too many symbolic links');
  let current = await open(root, PLACE);
  for (const [index, part] of parts.entries()) {
    const next = await step(root, current, part);
    if (Array.isArray(next)) return await walked(root, [...next, ...parts.slice(index + 1)], links + 1);
    current = next as FileHandle;
  }
  return current;
};

/** The path on the machine without any link in it; what is missing becomes a folder. Rejects if it would lead out of the volume. */
export const safeSubPath = async (volume: string, subPath: string): Promise<SafePath> => {
  const parts = subPath.split('/').filter((part) => part !== '' && part !== '.');
  if (subPath.startsWith('/') || parts.includes('..'))
    throw new Error('subPath must not contain ".." or begin with "/"');
  const root = await realpath(volume);
  const found = await walked(root, parts);
  try {
    const [path, { dev, ino }] = [await pathOf(found), await found.stat()];
    if (!isWithin(root, path)) throw new Error(`subpath "${subPath}" not within volume path`);
    return { path, identity: `${dev}:${ino}` };
  } finally {
    await found.close();
  }
};
