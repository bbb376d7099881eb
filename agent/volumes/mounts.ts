/** Mounts on this machine, by the programs `mount` and `umount`. */
import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { mountPointsBelow } from '../rules/volumes/mount-table.ts';

const run = promisify(execFile);

export interface Mounter {
  /** Mount points in or below the folder, those that were mounted last first. */
  below(folder: string): Promise<readonly string[]>;
  /** A file system in memory. Absent `sizeBytes`: half of the memory. Rejects where that is not permitted. */
  mountMemory(folder: string, sizeBytes: number | undefined): Promise<void>;
  unmount(point: string): Promise<void>;
}

/** `noswap` of Linux 6.4: without it a page of a Secret may be written to the swap space. */
const withoutSwap = (options: readonly string[]): readonly string[] => [...options, 'noswap'];

/** The options of `mount` for a file system in memory. */
const memoryOptions = (sizeBytes: number | undefined): readonly string[] => [
  'nosuid',
  'nodev',
  'mode=0755',
  ...(sizeBytes === undefined ? [] : [`size=${sizeBytes}`]),
];

const mountTmpfs = async (folder: string, options: readonly string[]): Promise<void> => {
  await run('mount', ['-t', 'tmpfs', '-o', options.join(','), 'tmpfs', folder]);
};

export const createMounter = (): Mounter => ({
  below: async (folder) => {
    const table = await readFile('/proc/self/mountinfo', 'utf8').catch(() => '');
    return mountPointsBelow(table, folder);
  },
  mountMemory: async (folder, sizeBytes) => {
    const options = memoryOptions(sizeBytes);
    // An older kernel refuses the option; whatever else is wrong, the second try says it.
    await mountTmpfs(folder, withoutSwap(options)).catch(() => mountTmpfs(folder, options));
  },
  unmount: async (point) => {
    await run('umount', [point]);
  },
});
