/** Reads a log that a program writes by itself. Offsets never change: see `agent/rules/runtime/log-rotation.ts`. */
import { type FileHandle, readdir, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { openRegular, readAtMost, textAtMost } from '../adapters/linux/bounded-file.ts';
import type { LogLine } from '../rules/logs/cri-line.ts';
import { MOST_NOTES, startOf, type TimeNote, timeNotesIn, timeOfLine } from '../rules/logs/line-times.ts';
import type { LogOptions } from '../rules/logs/log-options.ts';
import { splitLines } from '../rules/logs/split-lines.ts';
import { tailStart } from '../rules/logs/tail-start.ts';
import { timesName } from '../rules/runtime/log-files.ts';
import { LONGEST_LOG, liveStart, rotatedEnd, rotatedName } from '../rules/runtime/log-rotation.ts';
import { CHUNK, type LogSource, MOST_SEARCHED } from './log-source.ts';

/** Bytes that were found at `offset`, or behind it, if those at it are gone. */
interface Found {
  readonly offset: number;
  readonly bytes: Buffer;
}

const endsIn = async (path: string): Promise<readonly number[]> => {
  const names = await readdir(dirname(path));
  const ends = names.flatMap((name) => rotatedEnd(basename(path), name) ?? []);
  return ends.toSorted((a, b) => a - b);
};

/** From a file of older lines. `undefined`: it was deleted meanwhile, or something else is in its place. */
const readRotated = async (
  path: string,
  end: number,
  offset: number,
  most: number,
): Promise<Found | undefined> => {
  const file = await openRegular(join(dirname(path), rotatedName(basename(path), end))).catch(
    () => undefined,
  );
  if (!file) return undefined;
  try {
    const start = end - (await file.stat()).size;
    const from = Math.max(offset, start);
    const bytes = await readAtMost(file, from - start, Math.min(most, end - from));
    return bytes.length === 0 ? undefined : { offset: from, bytes };
  } finally {
    await file.close();
  }
};

/** The blocks of a log are freed after their lines were copied, so what was read counts only if the copies did not reach it meanwhile. */
const readAt = async (path: string, live: FileHandle, offset: number, most: number): Promise<Found> => {
  for (let from = offset; ; ) {
    const end = (await endsIn(path)).find((one) => one > from);
    const rotated = end === undefined ? undefined : await readRotated(path, end, from, most);
    if (rotated) return rotated;
    if (end !== undefined) from = end;
    else {
      const bytes = await readAtMost(live, from, most);
      if (liveStart({ rotatedEnds: await endsIn(path) }) <= from) return { offset: from, bytes };
    }
  }
};

const notesOf = async (path: string): Promise<readonly TimeNote[]> =>
  timeNotesIn(await textAtMost(timesName(path), MOST_NOTES));

const firstKept = async (path: string, live: FileHandle): Promise<number> => {
  const { offset } = await readAt(path, live, 0, 1);
  return offset;
};

const startAt = async (
  path: string,
  live: FileHandle,
  { tailLines, since }: LogOptions,
  notes: readonly TimeNote[],
): Promise<number> => {
  const from = Math.max(since === undefined ? 0 : startOf(notes, since), await firstKept(path, live));
  if (tailLines === undefined) return from;
  const size = Math.min((await live.stat()).size, LONGEST_LOG);
  const exactly = async (at: number, to: number): Promise<Buffer> => {
    const parts: Buffer[] = [];
    for (let offset = at; offset < to; ) {
      const found = await readAt(path, live, offset, to - offset);
      if (found.bytes.length === 0) break;
      parts.push(found.bytes);
      offset = found.offset + found.bytes.length;
    }
    return Buffer.concat(parts);
  };
  return (
    await tailStart(exactly, { from: Math.max(from, size - MOST_SEARCHED), to: size, step: CHUNK }, tailLines)
  ).offset;
};

const openAt = async (path: string, options: LogOptions, notes: readonly TimeNote[]) => {
  const live = await openRegular(path);
  try {
    return { live, start: await startAt(path, live, options, notes) };
  } catch (error) {
    await live.close();
    throw error;
  }
};

/** Rejects if there is no such log. `as written`: parts of lines are not held back until the rest comes. */
export const openPlainLog = async (
  path: string,
  options: LogOptions,
  pieces: 'lines' | 'as written' = 'lines',
): Promise<LogSource> => {
  const isTimed = options.timestamps || options.since !== undefined;
  let notes = isTimed ? await notesOf(path) : [];
  const { live, start } = await openAt(path, options, notes);
  let latest = (await live.stat()).mtimeMs;
  let offset = start;
  let left: Buffer = Buffer.alloc(0);
  const dated = (text: Buffer, end: number): LogLine => {
    const at = isTimed ? Math.floor(timeOfLine(notes, end, latest)) : 0;
    return { at, time: isTimed ? new Date(at).toISOString().replace('Z', '000000Z') : '', text };
  };
  return {
    next: async () => {
      const found = await readAt(path, live, offset, CHUNK);
      if (found.bytes.length === 0) return [];
      if (found.offset > offset) left = Buffer.alloc(0);
      let end = found.offset - left.length;
      offset = found.offset + found.bytes.length;
      if (isTimed && offset > (notes.at(-1)?.offset ?? 0)) {
        notes = await notesOf(path);
        latest = (await stat(path)).mtimeMs;
      }
      const { lines, rest } =
        pieces === 'lines'
          ? splitLines(left, found.bytes, CHUNK)
          : { lines: [found.bytes], rest: Buffer.alloc(0) };
      left = rest;
      return lines.map((line) => {
        end += line.length;
        return dated(line, end);
      });
    },
    rest: () => {
      const text = left;
      left = Buffer.alloc(0);
      return text.length === 0 ? [] : [dated(text, offset)];
    },
    close: () => live.close(),
  };
};
