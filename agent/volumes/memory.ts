/** Volumes whose files no disk keeps. */
import type { Mounter } from './mounts.ts';

/** Mounts a file system in memory on the folder, unless one is there. Returns why it cannot: the files are on the disk then. */
export const mountMemory = async (
  mounter: Mounter,
  folder: string,
  sizeBytes: number | undefined,
): Promise<string | undefined> => {
  const mounted = await mounter.below(folder);
  if (mounted.includes(folder)) return undefined;
  try {
    await mounter.mountMemory(folder, sizeBytes);
    return undefined;
  } catch (error) {
    const [line = ''] = (error instanceof Error ? error.message : String(error)).split('\n');
    return `no memory file system can be mounted here, so that the volume lives on the disk: ${line}`;
  }
};
