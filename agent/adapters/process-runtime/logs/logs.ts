/** Rotates the logs of containers, and reads their ends. */
import { execFile } from 'node:child_process';
import {
  closeSync,
  existsSync,
  fsyncSync,
  openSync,
  readdirSync,
  readSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { timesName } from '../../../rules/runtime/log-files.ts';
import {
  type LogBounds,
  liveStart,
  rotatedEnd,
  rotatedName,
  rotationPlan,
} from '../../../rules/runtime/log-rotation.ts';

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

/** The offsets at which its files of older lines end. */
export const endsIn = ({ folder, name }: LogPlace): readonly number[] =>
  readdirSync(folder).flatMap((entry) => {
    const end = rotatedEnd(name, entry);
    return end === undefined ? [] : [end];
  });

const lineEndBefore = (file: number, offset: number, least: number): number | undefined => {
  const buffer = Buffer.alloc(CHUNK);
  for (let to = offset; to > least; ) {
    const from = Math.max(least, to - CHUNK);
    const length = readSync(file, buffer, 0, to - from, from);
    const index = buffer.subarray(0, length).lastIndexOf(NEW_LINE);
    if (index >= 0) return from + index + 1;
    to = from;
  }
  return undefined;
};

/** The name comes last, so that a file which has one is whole. */
const copyRange = ({ folder, name }: LogPlace, file: number, from: number, to: number): void => {
  const temporary = join(folder, `${name}.new`);
  const copy = openSync(temporary, 'w', 0o640);
  try {
    const buffer = Buffer.alloc(CHUNK);
    for (let at = from; at < to; ) {
      const length = readSync(file, buffer, 0, Math.min(CHUNK, to - at), at);
      if (length === 0) throw new Error(`${join(folder, name)} is shorter than it was`);
      writeSync(copy, buffer, 0, length);
      at += length;
    }
    fsyncSync(copy);
  } finally {
    closeSync(copy);
  }
  renameSync(temporary, join(folder, rotatedName(name, to)));
};

const rotate = async (place: LogPlace, bounds: LogBounds, fallocate: string): Promise<void> => {
  const path = join(place.folder, place.name);
  const stat = statSync(path, { throwIfNoEntry: false });
  if (!stat) return;
  const isSmall = stat.blocks * BLOCK <= bounds.maxSize + SLACK;
  if (isSmall && stat.size <= bounds.maxSize) return;
  const state = { size: stat.size, rotatedEnds: endsIn(place) };
  if (isSmall && stat.size - liveStart(state) <= bounds.maxSize) return;
  const file = openSync(path, 'r');
  try {
    const plan = rotationPlan(state, bounds, (offset, least) => lineEndBefore(file, offset, least));
    for (const { from, to } of plan.copies) copyRange(place, file, from, to);
    for (const end of plan.deletedEnds)
      rmSync(join(place.folder, rotatedName(place.name, end)), { force: true });
    if (plan.freeTo > 0)
      await run(fallocate, ['--punch-hole', '--offset', '0', '--length', String(plan.freeTo), path]);
  } finally {
    closeSync(file);
  }
};

/** Brings a log within its bounds. `fallocate`: the program. A log that is not there, or is deleted meanwhile, needs nothing. */
export const rotateLog = async (place: LogPlace, bounds: LogBounds, fallocate: string): Promise<void> => {
  try {
    await rotate(place, bounds, fallocate);
  } catch (error) {
    if (existsSync(join(place.folder, place.name))) throw error;
  }
};

/** The last bytes of a log, and of them the last lines. */
export const logTail = (place: LogPlace, mostBytes: number, mostLines: number): string => {
  const path = join(place.folder, place.name);
  const stat = statSync(path, { throwIfNoEntry: false });
  if (!stat) return '';
  const from = Math.max(liveStart({ rotatedEnds: endsIn(place) }), stat.size - mostBytes);
  const file = openSync(path, 'r');
  try {
    const buffer = Buffer.alloc(stat.size - from);
    const text = buffer.subarray(0, readSync(file, buffer, 0, buffer.length, from)).toString('utf8');
    const lines = text.split('\n');
    const kept = text.endsWith('\n') ? mostLines + 1 : mostLines;
    return lines.slice(-kept).join('\n');
  } finally {
    closeSync(file);
  }
};

/** Where the oldest line begins that is kept. */
export const keptFrom = (place: LogPlace): number => {
  const [oldest] = endsIn(place).toSorted((a, b) => a - b);
  if (oldest === undefined) return 0;
  const size = statSync(join(place.folder, rotatedName(place.name, oldest)), { throwIfNoEntry: false })?.size;
  return oldest - (size ?? 0);
};

/** Deletes a log with its older files. */
export const removeLog = (place: LogPlace): void => {
  if (!statSync(place.folder, { throwIfNoEntry: false })) return;
  for (const end of endsIn(place)) rmSync(join(place.folder, rotatedName(place.name, end)), { force: true });
  rmSync(join(place.folder, `${place.name}.new`), { force: true });
  rmSync(timesName(join(place.folder, place.name)), { force: true });
  rmSync(join(place.folder, place.name), { force: true });
};
