import { type Dir, lstatSync, opendirSync, type Stats } from 'node:fs';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import type { FolderSize } from '../../rules/stats/pod-stats.ts';

/** The unit of `st_blocks`, in bytes. */
const BLOCK = 512;
/** How long other work waits at a time, unless the disk is slower. */
const SLICE_MS = 2;

const tried = <Result>(call: () => Result): Result | undefined => {
  try {
    return call();
  } catch {
    return undefined;
  }
};

function* entriesOf(folder: Dir): Generator<string> {
  for (let entry = tried(() => folder.readSync()); entry; entry = tried(() => folder.readSync()))
    yield join(folder.path, entry.name);
  folder.closeSync();
}

/** All that is in a folder, and in the folders that `enter` returns true for. */
function* below(root: string, enter: (path: string) => boolean): Generator<void> {
  for (const pending = [root]; pending.length > 0; ) {
    const folder = tried(() => opendirSync(pending.pop() ?? root));
    for (const path of folder ? entriesOf(folder) : []) {
      if (enter(path)) pending.push(path);
      yield;
    }
  }
}

/**
 * What a folder takes on its disk, with all that is in it. What is mounted into it does not count, and a file that has several names
 * counts once. Files that go away meanwhile do not count. Rejects if the folder itself is not there. It asks file by file without
 * the event loop, which takes a tenth of the time, and lets other work go on in between.
 */
export const folderSize = async (root: string): Promise<FolderSize> => {
  const { dev, blocks } = lstatSync(root);
  const linked = new Set<number>();
  let [bytes, inodes] = [blocks * BLOCK, 1];
  const isNew = (found: Stats): boolean => {
    if (found.dev !== dev || linked.has(found.ino)) return false;
    if (found.nlink > 1 && !found.isDirectory()) linked.add(found.ino);
    return true;
  };
  const count = (path: string): boolean => {
    const found = tried(() => lstatSync(path, { throwIfNoEntry: false }));
    if (!found || !isNew(found)) return false;
    [bytes, inodes] = [bytes + found.blocks * BLOCK, inodes + 1];
    return found.isDirectory();
  };
  let since = performance.now();
  for (const _ of below(root, count)) {
    if (performance.now() - since < SLICE_MS) continue;
    await setImmediate();
    since = performance.now();
  }
  return { bytes, inodes };
};
