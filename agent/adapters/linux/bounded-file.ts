/**
 * Reads files that programs of pods can write to, or put something else in the place of. Only regular files are read, so that no pipe,
 * device or link keeps the agent waiting, and never more bytes than the caller names, whatever the size of the file is.
 */
import { constants } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { setTimeout } from 'node:timers/promises';

const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK, O_NOCTTY } = constants;

/** The last part of a path is no link, and opening waits for no other program. */
const SAFELY = O_NOFOLLOW | O_NONBLOCK | O_NOCTTY;

/** The most that `endIn` reads (bytes). */
const MOST_END = 8 * 1024;
/** How long `endIn` waits for the file system (ms). */
const READ_MS = 10_000;

/** Of a link, a socket, and a folder that is opened for writing. */
const CODES = new Set<unknown>(['ELOOP', 'ENXIO', 'EISDIR']);

/** There is something of this name, and it is no regular file. */
export class NotRegularError extends Error {
  override readonly name = 'NotRegularError';

  constructor(path: string) {
    super(`${path} is no regular file`);
  }
}

const openSafely = async (path: string, access: number): Promise<FileHandle> => {
  try {
    return await open(path, access | SAFELY);
  } catch (error) {
    throw CODES.has((error as NodeJS.ErrnoException).code) ? new NotRegularError(path) : error;
  }
};

/** Opens a regular file; `access`: for reading unless it says more. Rejects if there is none, with `NotRegularError` if there is another thing. */
export const openRegular = async (path: string, access: number = O_RDONLY): Promise<FileHandle> => {
  const file = await openSafely(path, access);
  try {
    if ((await file.stat()).isFile()) return file;
  } catch (error) {
    await file.close();
    throw error;
  }
  await file.close();
  throw new NotRegularError(path);
};

/** At most `most` bytes from `position` on; fewer only at the end of the file. */
export const readAtMost = async (file: FileHandle, position: number, most: number): Promise<Buffer> => {
  const buffer = Buffer.alloc(most);
  for (let length = 0; ; ) {
    const { bytesRead } = await file.read(buffer, length, most - length, position + length);
    length += bytesRead;
    if (bytesRead === 0 || length === most) return buffer.subarray(0, length);
  }
};

/** The text of a file, of which at most so many bytes are read; empty if it cannot be. */
export const textAtMost = async (path: string, mostBytes: number): Promise<string> => {
  const file = await openRegular(path).catch(() => undefined);
  if (!file) return '';
  try {
    return (await readAtMost(file, 0, Math.min((await file.stat()).size, mostBytes))).toString();
  } finally {
    await file.close();
  }
};

const readEnd = async (path: string, mostBytes: number): Promise<string | undefined> => {
  const file = await openRegular(path);
  try {
    const { size } = await file.stat();
    const most = Math.min(size, mostBytes, MOST_END);
    return (await readAtMost(file, size - most, most)).toString();
  } finally {
    await file.close();
  }
};

/**
 * The last bytes of a file: at most so many, and never more than 8 KiB. `undefined`: there is no such file, or it could not be read in
 * time. One that cannot be read is as good as none, as one pod must not stop the others.
 */
export const endIn = async (path: string, mostBytes: number): Promise<string | undefined> => {
  const over = new AbortController();
  const late = setTimeout(READ_MS, undefined, { signal: over.signal });
  try {
    return await Promise.race([readEnd(path, mostBytes), late]);
  } catch {
    return undefined;
  } finally {
    over.abort();
  }
};
