/** Rotates the logs of containers, and reads their ends. Programs write to the logs by themselves, and may give them any length. */
import { execFile } from 'node:child_process';
import { constants, existsSync, readdirSync, rmSync } from 'node:fs';
import { type FileHandle, lstat, open, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { timesName } from '../../../rules/runtime/log-files.ts';
import {
  LONGEST_LOG,
  type LogBounds,
  liveStart,
  rotatedEnd,
  rotatedName,
  rotationPlan,
} from '../../../rules/runtime/log-rotation.ts';
import { openRegular, readAtMost } from '../../linux/bounded-file.ts';

const run = promisify(execFile);

/** A log: the newest lines are in the file `name`. */
export interface LogPlace {
  readonly folder: string;
  readonly name: string;
}

const CHUNK = 64 * 1024;
const NEW_LINE = 10;
/** What `stat` counts blocks in (bytes). */
const BLOCK = 512;
/** Blocks that the file system may hold beside the lines (bytes). */
const SLACK = 64 * 1024;
const LOG_MODE = 0o600;
/** How long freeing blocks may take (ms). */
const FREE_MS = 60_000;

/** The offsets at which its files of older lines end. */
export const endsIn = ({ folder, name }: LogPlace): readonly number[] =>
  readdirSync(folder).flatMap((entry) => {
    const end = rotatedEnd(name, entry);
    return end === undefined ? [] : [end];
  });

const lineEndBefore = async (
  file: FileHandle,
  offset: number,
  least: number,
): Promise<number | undefined> => {
  for (let to = offset; to > least; ) {
    const from = Math.max(least, to - CHUNK);
    const index = (await readAtMost(file, from, to - from)).lastIndexOf(NEW_LINE);
    if (index >= 0) return from + index + 1;
    to = from;
  }
  return undefined;
};

/** The name comes last, so that a file which has one is whole. */
const copyRange = async (
  { folder, name }: LogPlace,
  file: FileHandle,
  from: number,
  to: number,
): Promise<void> => {
  const temporary = join(folder, `${name}.new`);
  const copy = await open(temporary, 'w', LOG_MODE);
  try {
    for (let at = from; at < to; ) {
      const bytes = await readAtMost(file, at, Math.min(CHUNK, to - at));
      if (bytes.length === 0) throw new Error(`${join(folder, name)} is shorter than it was`);
      await copy.writeFile(bytes);
      at += bytes.length;
    }
    await copy.sync();
  } finally {
    await copy.close();
  }
  await rename(temporary, join(folder, rotatedName(name, to)));
};

const removeRotated = ({ folder, name }: LogPlace, ends: readonly number[]): void => {
  for (const end of ends) rmSync(join(folder, rotatedName(name, end)), { force: true });
};

/** A program that has cut its log, or lengthened it beyond measure: its older lines have no place any more. */
const startAnew = async (place: LogPlace, file: FileHandle, size: number): Promise<void> => {
  if (size > LONGEST_LOG) await file.truncate(0);
  removeRotated(place, endsIn(place));
  rmSync(timesName(join(place.folder, place.name)), { force: true });
};

const rotateOpen = async (
  place: LogPlace,
  file: FileHandle,
  bounds: LogBounds,
  fallocate: string,
): Promise<void> => {
  const { size, blocks, mode } = await file.stat();
  // A version before made it with another one.
  if ((mode & 0o7777) !== LOG_MODE) await file.chmod(LOG_MODE);
  const state = { size, rotatedEnds: endsIn(place) };
  if (size > LONGEST_LOG || size < liveStart(state)) return await startAnew(place, file, size);
  const isSmall = blocks * BLOCK <= bounds.maxSize + SLACK;
  if (isSmall && size - liveStart(state) <= bounds.maxSize) return;
  const plan = await rotationPlan(state, bounds, (offset, least) => lineEndBefore(file, offset, least));
  for (const { from, to } of plan.copies) await copyRange(place, file, from, to);
  removeRotated(place, plan.deletedEnds);
  const path = join(place.folder, place.name);
  const freed = ['--punch-hole', '--offset', '0', '--length', String(plan.freeTo), path];
  if (plan.freeTo > 0) await run(fallocate, freed, { timeout: FREE_MS });
};

const rotate = async (place: LogPlace, bounds: LogBounds, fallocate: string): Promise<void> => {
  const file = await openRegular(join(place.folder, place.name), constants.O_RDWR);
  try {
    await rotateOpen(place, file, bounds, fallocate);
  } finally {
    await file.close();
  }
};

/** Brings a log within its bounds. `fallocate`: the program. A log that is not there, or is deleted meanwhile, needs nothing. */
export const rotateLog = async (place: LogPlace, bounds: LogBounds, fallocate: string): Promise<void> => {
  const isThere = (): boolean => existsSync(join(place.folder, place.name));
  if (!isThere()) return;
  try {
    await rotate(place, bounds, fallocate);
  } catch (error) {
    if (isThere()) throw error;
  }
  // A container that was removed meanwhile leaves no copy.
  if (!isThere()) removeLog(place);
};

const lastLines = (text: string, most: number): string =>
  text
    .split('\n')
    .slice(-(text.endsWith('\n') ? most + 1 : most))
    .join('\n');

/** The last bytes of a log, and of them the last lines. Empty if it cannot be read. */
export const logTail = async (place: LogPlace, mostBytes: number, mostLines: number): Promise<string> => {
  const file = await openRegular(join(place.folder, place.name)).catch(() => undefined);
  if (!file) return '';
  try {
    const { size } = await file.stat();
    const live = Math.min(size, liveStart({ rotatedEnds: endsIn(place) }));
    const most = Math.min(size - live, mostBytes);
    return lastLines((await readAtMost(file, size - most, most)).toString('utf8'), mostLines);
  } catch {
    return '';
  } finally {
    await file.close();
  }
};

/** Where the oldest line begins that is kept. */
export const keptFrom = async (place: LogPlace): Promise<number> => {
  const [oldest] = endsIn(place).toSorted((a, b) => a - b);
  if (oldest === undefined) return 0;
  const stat = await lstat(join(place.folder, rotatedName(place.name, oldest))).catch(() => undefined);
  return oldest - (stat?.size ?? 0);
};

/** Deletes a log with its older files. */
export const removeLog = (place: LogPlace): void => {
  if (!existsSync(place.folder)) return;
  removeRotated(place, endsIn(place));
  rmSync(join(place.folder, `${place.name}.new`), { force: true });
  rmSync(timesName(join(place.folder, place.name)), { force: true });
  rmSync(join(place.folder, place.name), { force: true });
};
