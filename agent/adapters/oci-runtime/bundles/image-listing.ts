/** What stands in the folders that images are made of. */
import { lstatSync, type Stats } from 'node:fs';
import { opendir, readFile, readlink } from 'node:fs/promises';
import { join } from 'node:path';
import { byText } from '../../../../shared/kube/text/compare-text.ts';
import type { Entry } from '../../../rules/oci/image-root.ts';
import { mountPointsBelow } from '../../../rules/volumes/mount-table.ts';

/** An image has a mount for each of its folders. */
const MOST_ENTRIES = 500;

const kindOf = (stats: Stats): Entry['kind'] => {
  if (stats.isDirectory()) return 'folder';
  if (stats.isSymbolicLink()) return 'link';
  return stats.isFile() ? 'file' : 'other';
};

/** A member of the image whose root is the folder `root` of the machine; `undefined`: it is not there. `path` begins with `/`. */
export const entryAt = async (root: string, path: string): Promise<Entry | undefined> => {
  const stats = lstatSync(join(root, path), { throwIfNoEntry: false });
  if (!stats) return undefined;
  const { mode, uid, gid, size: bytes } = stats;
  const entry = { path, kind: kindOf(stats), mode: mode & 0o7777, uid, gid, bytes };
  return stats.isSymbolicLink() ? { ...entry, target: await readlink(join(root, path)) } : entry;
};

/** All that stands in a folder. Rejects if there is too much for an image. */
export const entriesIn = async (root: string): Promise<readonly Entry[]> => {
  const entries: Entry[] = [];
  for await (const { name } of await opendir(root)) {
    if (entries.length === MOST_ENTRIES)
      throw new Error(`more than ${MOST_ENTRIES} files and folders stand in the image ${root} itself`);
    const entry = await entryAt(root, `/${name}`);
    if (entry) entries.push(entry);
  }
  return entries.toSorted((a, b) => byText(a.path, b.path));
};

/** Where file systems are mounted, in the folder or below it. */
export const mountPointsIn = async (folder: string): Promise<readonly string[]> =>
  mountPointsBelow(await readFile('/proc/self/mountinfo', 'utf8'), folder === '/' ? '' : folder);
