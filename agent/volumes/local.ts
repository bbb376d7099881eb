/** Folders of one machine that a PersistentVolume names. Source: kubernetes v1.34 pkg/volume/local, `SetVolumeOwnership`. */
import { constants, open, readdir, realpath, stat } from 'node:fs/promises';
import { join } from 'node:path';

const GROUP_RIGHTS = 0o060;
/** With the bit by which new files have the group of their folder. */
const FOLDER_RIGHTS = 0o2070;

/** Of what can be opened, without following a link: what it leads to may not be of the volume. Sockets keep their group. */
const giveOne = async (path: string, gid: number): Promise<void> => {
  const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
  const file = await open(path, flags).catch(() => undefined);
  if (!file) return;
  try {
    const found = await file.stat();
    await file.chown(found.uid, gid);
    const more = found.isDirectory() ? FOLDER_RIGHTS : GROUP_RIGHTS;
    await file.chmod((found.mode & 0o7777) | more);
  } finally {
    await file.close();
  }
};

const giveAll = async (path: string, gid: number): Promise<void> => {
  const members = await readdir(path, { withFileTypes: true });
  for (const one of members) await (one.isDirectory() ? giveAll : giveOne)(join(path, one.name), gid);
  await giveOne(path, gid);
};

/** Gives the folder to the group, unless it has it. Returns why it is not what it should be. */
export const setUpLocal = async (path: string, gid: number | undefined): Promise<string | undefined> => {
  const found = await stat(path).catch(() => undefined);
  if (!found) return `path "${path}" does not exist`;
  if (!found.isDirectory()) return `path "${path}" is not a folder: block devices are not mounted here`;
  // The folder itself comes last, so that one that was given is known to be given as a whole.
  if (gid !== undefined && found.gid !== gid) await giveAll(await realpath(path), gid);
  return undefined;
};
