/** Folders that live as long as their pod. Source: kubernetes v1.34 pkg/volume/emptydir. */
import { constants, mkdir, open } from 'node:fs/promises';
import { quantityValue } from '../../shared/kube/values/quantity.ts';
import { isInMemory, type Volume } from '../rules/volumes/volume.ts';
import { mountMemory } from './memory.ts';
import type { Mounter } from './mounts.ts';

const SET_GROUP = 0o2000;

const limitOf = ({ emptyDir }: Volume): number | undefined => {
  const bytes = quantityValue(emptyDir?.sizeLimit ?? '0');
  return bytes > 0 ? bytes : undefined;
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
  const warning = isInMemory(volume) ? await mountMemory(mounter, folder, limitOf(volume)) : undefined;
  await giveTo(folder, gid);
  return warning;
};
