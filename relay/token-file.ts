/** The file with the relay's own token. Others may replace it at any time. */
import { open, readFile, realpath, rename } from 'node:fs/promises';

export interface TokenFile {
  /** The newest token that could be read. */
  current(): string;
  /** Stores `next` in the place of `read`. `false`: the file has another token by now, which counts. Rejects if it cannot be written. */
  replace(read: string, next: string): Promise<boolean>;
}

/** Milliseconds after which the file is read again. */
const READ_EVERY_MS = 1_000;

/** The file is whole at each moment, and on disk before the old one is gone. A draft that was left by a crash is written again. */
const writeWhole = async (path: string, text: string): Promise<void> => {
  const draft = `${path}.new`;
  const file = await open(draft, 'w', 0o600);
  try {
    // The mode of `open` counts for a new file only.
    await file.chmod(0o600);
    await file.writeFile(text);
    await file.sync();
  } finally {
    await file.close();
  }
  await rename(draft, path);
};

/** `text`: what the file has now. While it cannot be read, or is empty, the last token counts. */
export const createTokenFile = (
  path: string,
  text: string,
  elapsed: () => number = () => performance.now(),
): TokenFile => {
  let token = text.trim();
  let readAt = elapsed();
  const refresh = async (): Promise<void> => {
    const before = token;
    const read = (await readFile(path, 'utf8').catch(() => before)).trim();
    // What was read before a renewal is older than it.
    if (token === before && read !== '') token = read;
  };
  return {
    current: () => {
      if (elapsed() - readAt >= READ_EVERY_MS) {
        readAt = elapsed();
        void refresh();
      }
      return token;
    },
    replace: async (read, next) => {
      // Behind a link is the file that is to be replaced, not the link.
      const target = await realpath(path);
      if ((await readFile(target, 'utf8')).trim() !== read) return false;
      await writeWhole(target, `${next}\n`);
      token = next;
      return true;
    },
  };
};
