/** A part of a volume, which no link leads out of. Source: kubernetes v1.34 pkg/volume/util/subpath. */
import { mkdir, realpath } from 'node:fs/promises';
import { join, sep } from 'node:path';

const isWithin = (folder: string, path: string): boolean =>
  path === folder || path.startsWith(`${folder}${sep}`);

const real = async (path: string): Promise<string | undefined> => {
  try {
    return await realpath(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
};

/** Follows links part by part, so that no folder is made outside of the volume. */
const resolved = async (root: string, parts: readonly string[]): Promise<string> => {
  let current = root;
  for (const part of parts) {
    const next = join(current, part);
    const there = await real(next);
    if (there === undefined) await mkdir(next, { mode: 0o750 });
    current = there ?? next;
    if (!isWithin(root, current)) throw new Error(`subpath "${parts.join('/')}" not within volume path`);
  }
  return current;
};

/** The path on the machine without any link in it; what is missing becomes a folder. Rejects if it would lead out of the volume. */
export const safeSubPath = async (volume: string, subPath: string): Promise<string> => {
  const parts = subPath.split('/').filter((part) => part !== '' && part !== '.');
  if (subPath.startsWith('/') || parts.includes('..'))
    throw new Error('subPath must not contain ".." or begin with "/"');
  return await resolved(await realpath(volume), parts);
};
