/** Gives a tree to a group. Source: kubernetes v1.34 pkg/volume `SetVolumeOwnership`. */
import type { Stats } from 'node:fs';
import { chmod, chown, readFile } from 'node:fs/promises';
import { type Found, safeWalk } from './safe-walk.ts';

const GROUP_RIGHTS = 0o060;
/** With the bit by which new files have the group of their folder. */
const FOLDER_RIGHTS = 0o2070;

/** Whether the kernel lets users make further names of files that are not theirs. */
const linksAnything = async (): Promise<boolean> =>
  (await readFile('/proc/sys/fs/protected_hardlinks', 'utf8').catch(() => '0')).trim() === '0';

/** Links are only names. Devices are the machine's, and so may be a file that has another name elsewhere. */
const isOfVolume = (stats: Stats, hasForeign: boolean): boolean => {
  if (stats.isSymbolicLink() || stats.isCharacterDevice() || stats.isBlockDevice()) return false;
  return stats.isDirectory() || stats.nlink === 1 || !hasForeign;
};

const giveOne = async ({ descriptor, stats }: Found, gid: number): Promise<void> => {
  const rights = stats.isDirectory() ? FOLDER_RIGHTS : GROUP_RIGHTS;
  const mode = (stats.mode & 0o7777) | rights;
  if (stats.gid === gid && mode === (stats.mode & 0o7777)) return;
  await chown(descriptor, stats.uid, gid);
  await chmod(descriptor, mode);
};

/** The folder itself comes last, so that one that was given is known to be given as a whole. Rejects with `TooDeep`. */
export const giveTree = async (root: string, gid: number): Promise<void> => {
  const hasForeign = await linksAnything();
  await safeWalk(root, async (found) => {
    if (isOfVolume(found.stats, hasForeign)) await giveOne(found, gid);
  });
};
