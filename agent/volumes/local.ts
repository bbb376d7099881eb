/** Folders of one machine that a PersistentVolume names. Source: kubernetes v1.34 pkg/volume/local. */
import { realpath, stat } from 'node:fs/promises';
import { giveTree } from '../adapters/linux/trees/give-tree.ts';
import { TooDeep } from '../adapters/linux/trees/safe-walk.ts';

/** Returns why the folder cannot be given. */
const give = async (path: string, gid: number): Promise<string | undefined> => {
  try {
    await giveTree(await realpath(path), gid);
    return undefined;
  } catch (error) {
    if (error instanceof TooDeep)
      return `path "${path}" cannot be given to the group ${gid}: ${error.message}`;
    throw error;
  }
};

/** Gives the folder to the group, unless it has it. Returns why it is not what it should be. */
export const setUpLocal = async (path: string, gid: number | undefined): Promise<string | undefined> => {
  const found = await stat(path).catch(() => undefined);
  if (!found) return `path "${path}" does not exist`;
  if (!found.isDirectory()) return `path "${path}" is not a folder: block devices are not mounted here`;
  return gid === undefined || found.gid === gid ? undefined : await give(path, gid);
};
