/** Files that are whole at each moment. */
import { open, readFile, rename } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';

/** Replaces a file: on disk when it resolves, and whole even if the machine goes down meanwhile. */
export const replaceFile = async (path: string, text: string, mode: number): Promise<void> => {
  const temporary = join(dirname(path), `.tmp-${basename(path)}`);
  const file = await open(temporary, 'w', mode);
  try {
    // The mode counts for a new file only.
    await file.chmod(mode);
    await file.writeFile(text);
    await file.sync();
  } finally {
    await file.close();
  }
  await rename(temporary, path);
};

const isMissing = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && error.code === 'ENOENT';

/** The text of a file; `undefined` if there is none. */
export const textIfThere = async (path: string): Promise<string | undefined> => {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
};
