/** Replaces a file with a compressed one. */
import { createReadStream, createWriteStream, renameSync, rmSync } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';

/** The name comes last, so that a file which has one is whole. */
export const gzipFile = async (path: string): Promise<void> => {
  const temporary = `${path}.tmp`;
  try {
    await pipeline(createReadStream(path), createGzip(), createWriteStream(temporary));
    renameSync(temporary, `${path}.gz`);
    rmSync(path, { force: true });
  } catch (error) {
    rmSync(temporary, { force: true });
    throw error;
  }
};
