/** Volumes whose files no disk keeps. */
import type { Mounter } from './mounts.ts';

/** The first line of what the program has said, without the place on the machine. */
const wordsOf = (error: unknown, folder: string): string => {
  const { stderr = '', message = String(error) } = error as {
    readonly stderr?: string;
    readonly message?: string;
  };
  const [line = ''] = (stderr.trim() || message).split('\n');
  return line.replaceAll(`${folder}: `, '').replaceAll(folder, '');
};

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
    const why = wordsOf(error, folder);
    return `no memory file system can be mounted here, so that the volume lives on the disk: ${why}`;
  }
};
