import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

/** What `read` makes of the first of these files below `root` from which it can make something. */
export const firstFile = async <T>(
  root: string,
  paths: readonly string[],
  read: (text: string) => T | undefined,
): Promise<T | undefined> => {
  for (const path of paths) {
    const text = await readFile(join(root, path), 'utf8').catch(() => undefined);
    const found = text === undefined ? undefined : read(text);
    if (found !== undefined) return found;
  }
  return undefined;
};
