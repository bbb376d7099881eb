/** The files that the runtime writes logs to: their end, their rotation, their removal. */
import { createWriteStream, existsSync, lstatSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { lastWords } from '../../rules/cri/log-lines.ts';
import { nextRotation, rotatedLogName, rotatedLogsOf, surplusLogs } from '../../rules/cri/rotated-logs.ts';
import type { LogBounds } from '../../rules/logs/log-bounds.ts';
import { endIn, openRegular } from '../linux/bounded-file.ts';

/** Source: kubernetes v1.34 `MaxContainerTerminationMessageLogLength` (bytes), `…LogLines`. */
const MOST_BYTES = 2048;
const MOST_LINES = 80;
/** Each line has a time, its stream and a tag before its text. */
const READ_BYTES = MOST_BYTES + MOST_LINES * 64;

/** What the container wrote last. */
export const logEnd = async (path: string): Promise<string> =>
  lastWords((await endIn(path, READ_BYTES)) ?? '', MOST_LINES, MOST_BYTES);

const namesIn = (folder: string): readonly string[] => {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
};

const rotatedOf = (path: string): readonly string[] =>
  rotatedLogsOf(basename(path), namesIn(dirname(path))).map((name) => join(dirname(path), name));

/** Deletes a log with its older files. */
export const removeLog = (path: string): void => {
  for (const file of [...rotatedOf(path), path]) rmSync(file, { force: true });
};

/** What is longer stays as it is (bytes): compressing it would keep the other logs from their rotation. */
const MOST_COMPRESSED = 1024 ** 3;
/** How long one may take (ms). */
const COMPRESS_MS = 60_000;

const isCompressible = (path: string): boolean => {
  const stat = lstatSync(path, { throwIfNoEntry: false });
  return stat?.isFile() === true && stat.size <= MOST_COMPRESSED;
};

/** The name comes last, so that a file which has one is whole. */
const gzipFile = async (path: string): Promise<void> => {
  const temporary = `${path}.tmp`;
  try {
    const source = (await openRegular(path)).createReadStream({ end: MOST_COMPRESSED });
    const target = createWriteStream(temporary, { mode: 0o600 });
    await pipeline(source, createGzip(), target, { signal: AbortSignal.timeout(COMPRESS_MS) });
    renameSync(temporary, `${path}.gz`);
    rmSync(path, { force: true });
  } catch (error) {
    rmSync(temporary, { force: true });
    throw error;
  }
};

/** All but the newest of the older files are compressed: readers may still be at the newest. */
const compress = async (path: string): Promise<void> => {
  const open = rotatedOf(path).filter((file) => !file.endsWith('.gz'));
  for (const file of open.slice(0, -1)) if (isCompressible(file)) await gzipFile(file);
};

/** Whether the log is there, and shorter than it may be. */
export const isWithin = (path: string, { maxSize }: LogBounds): boolean => {
  const stat = lstatSync(path, { throwIfNoEntry: false });
  return stat?.isFile() === true && stat.size < maxSize;
};

/**
 * Brings the log of a container that runs within its bounds. `reopen`: has the runtime make a new file. A log that cannot be reopened keeps
 * its name. One that is not there was renamed by an agent that ended before the runtime had reopened it.
 */
export const rotateLog = async (
  path: string,
  { maxSize, maxFiles }: LogBounds,
  now: number,
  reopen: () => Promise<void>,
): Promise<void> => {
  const stat = lstatSync(path, { throwIfNoEntry: false });
  if (stat && !stat.isFile()) throw new Error(`${path} is no regular file`);
  if (!stat) await reopen();
  if (!stat || stat.size < maxSize) return;
  const older = rotatedOf(path);
  const rotated = join(dirname(path), rotatedLogName(basename(path), nextRotation(older, now)));
  for (const file of surplusLogs(older, maxFiles)) rmSync(file, { force: true });
  renameSync(path, rotated);
  try {
    await reopen();
  } catch (error) {
    // A runtime that answers too late may have made the new one.
    if (!existsSync(path)) renameSync(rotated, path);
    throw error;
  }
  await compress(path);
};
