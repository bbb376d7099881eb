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

export const createMounter = (): Mounter => ({
  below: async (folder) => {
    const table = await readFile('/proc/self/mountinfo', 'utf8').catch(() => '');
    return mountPointsBelow(table, folder);
  },
  mountMemory: async (folder, sizeBytes) => {
    const size = sizeBytes === undefined ? [] : ['-o', `size=${sizeBytes}`];
    await run('mount', ['-t', 'tmpfs', ...size, 'tmpfs', folder]);
  },
  unmount: async (point) => {
    await run('umount', [point]);
  },
});
