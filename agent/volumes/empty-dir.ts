/** Folders that live as long as their pod. Source: kubernetes v1.34 pkg/volume/emptydir. */
import { constants, mkdir, open } from 'node:fs/promises';
import { quantityValue } from '../../shared/kube/values/quantity.ts';
import type { Volume } from '../rules/volumes/volume.ts';
import type { Mounter } from './mounts.ts';

const SET_GROUP = 0o2000;

const limitOf = ({ emptyDir }: Volume): number | undefined => {
  const bytes = quantityValue(emptyDir?.sizeLimit ?? '0');
  return bytes > 0 ? bytes : undefined;
};

/** Returns what it is not as it should be: without the permission to mount, it lives on the disk. */
const mountIn = async (mounter: Mounter, folder: string, volume: Volume): Promise<string | undefined> => {
  const mounted = await mounter.below(folder);
  if (mounted.includes(folder)) return undefined;
  try {
    await mounter.mountMemory(folder, limitOf(volume));
    return undefined;
  } catch (error) {
    const [line = ''] = (error instanceof Error ? error.message : String(error)).split('\n');
    return `no memory file system can be mounted here, so that the volume lives on the disk: ${line}`;
  }
};

/** By a descriptor: the folder keeps what it is even where its name becomes another's. */
const giveTo = async (folder: string, gid: number | undefined): Promise<void> => {
  const file = await open(folder, constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW);
  try {
    if (gid !== undefined) await file.chown(process.getuid?.() ?? 0, gid);
    await file.chmod(gid === undefined ? 0o777 : 0o777 | SET_GROUP);
  } finally {
    await file.close();
  }
};

/** Makes the folder. Files in it belong to the pod's group, if it has one. */
export const setUpEmptyDir = async (
  mounter: Mounter,
  folder: string,
  volume: Volume,
  gid: number | undefined,
): Promise<string | undefined> => {
  await mkdir(folder, { recursive: true, mode: 0o755 });
  const warning = volume.emptyDir?.medium === 'Memory' ? await mountIn(mounter, folder, volume) : undefined;
  await giveTo(folder, gid);
  return warning;
};
