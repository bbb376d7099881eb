import { lstat, opendir } from 'node:fs/promises';
import { join } from 'node:path';
import type { FolderSize } from '../../domain/stats/pod-stats.ts';

/** The unit of `st_blocks`, in bytes. */
const BLOCK = 512;

/**
 * What a folder takes on its disk, with all that is in it. What is mounted into it does not count, and a file that has several names
 * counts once. Files that go away meanwhile do not count. Rejects if the folder itself is not there.
 */
export const folderSize = async (folder: string): Promise<FolderSize> => {
  const { dev, blocks } = await lstat(folder);
  const linked = new Set<number>();
  let [bytes, inodes] = [blocks * BLOCK, 1];
  const count = async (path: string, isFolder: boolean): Promise<boolean> => {
    const found = await lstat(path).catch(() => undefined);
    if (!found || found.dev !== dev || linked.has(found.ino)) return false;
    if (found.nlink > 1 && !isFolder) linked.add(found.ino);
    [bytes, inodes] = [bytes + found.blocks * BLOCK, inodes + 1];
    return isFolder;
  };
  for (const pending = [folder]; pending.length > 0; ) {
    const path = pending.pop() ?? folder;
    const entries = await opendir(path).catch(() => undefined);
    for await (const entry of entries ?? []) {
      const inner = join(path, entry.name);
      if (await count(inner, entry.isDirectory())) pending.push(inner);
    }
  }
  return { bytes, inodes };
};
