/** Reads a log in the format of the CRI, with its older files. */
import { createReadStream } from 'node:fs';
import { type FileHandle, open, readdir, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { pipeline } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { criLine, type LogLine } from '../domain/logs/cri-line.ts';
import type { LogOptions } from '../domain/logs/log-options.ts';
import { splitLines } from '../domain/logs/split-lines.ts';
import { tailStart } from '../domain/logs/tail-start.ts';
import { rotatedCriNames } from '../domain/runtime/log-files.ts';
import { CHUNK, type LogSource } from './log-source.ts';

/** One file of the log that is open. */
interface Part {
  /** Empty at its end, which may not last. */
  read(): Promise<Buffer>;
  close(): Promise<void>;
  /** Absent for one that is compressed. */
  readonly inode?: number;
}

const isCompressed = (path: string): boolean => path.endsWith('.gz');

const openCompressed = (path: string): Part => {
  const unpacked = pipeline(createReadStream(path), createGunzip(), () => {});
  const chunks: AsyncIterator<Buffer> = unpacked[Symbol.asyncIterator]();
  return {
    read: async () => {
      const { value, done } = await chunks.next();
      return done ? Buffer.alloc(0) : value;
    },
    close: async () => void unpacked.destroy(),
  };
};

const readFrom = async (file: FileHandle, position: number, most: number): Promise<Buffer> => {
  const { buffer, bytesRead } = await file.read(Buffer.allocUnsafe(most), 0, most, position);
  return buffer.subarray(0, bytesRead);
};

const openPlain = async (path: string, offset: number): Promise<Part> => {
  const file = await open(path);
  let position = offset;
  return {
    inode: (await file.stat()).ino,
    read: async () => {
      const bytes = await readFrom(file, position, CHUNK);
      position += bytes.length;
      return bytes;
    },
    close: () => file.close(),
  };
};

const openPart = async (path: string, offset = 0): Promise<Part> =>
  isCompressed(path) ? openCompressed(path) : openPlain(path, offset);

/** All files, oldest first. */
const filesOf = async (path: string): Promise<readonly string[]> => {
  const names = rotatedCriNames(basename(path), await readdir(dirname(path)));
  return [...names.map((name) => join(dirname(path), name)), path];
};

const inodeOf = async (path: string): Promise<number | undefined> =>
  (await stat(path).catch(() => undefined))?.ino;

/** The file behind the one that was read to its end. One that was compressed or deleted meanwhile is not found: the newest counts then. */
const fileBehind = async (path: string, { inode }: Part): Promise<string> => {
  const files = await filesOf(path);
  const inodes = await Promise.all(files.map(inodeOf));
  const at = inodes.indexOf(inode);
  return files[at + 1] ?? path;
};

const countLines = async (path: string): Promise<number> => {
  const part = await openPart(path);
  let lines = 0;
  try {
    for (let bytes = await part.read(); bytes.length > 0; bytes = await part.read())
      for (const byte of bytes) if (byte === 10) lines += 1;
  } finally {
    await part.close();
  }
  return lines;
};

/** Where reading begins: at an offset of a file, or behind some of its lines. */
interface Start {
  readonly files: readonly string[];
  readonly offset: number;
  readonly skipped: number;
}

const tailIn = async (path: string, lines: number): Promise<Omit<Start, 'files'> & { missing: number }> => {
  if (isCompressed(path)) {
    const count = await countLines(path);
    return { offset: 0, skipped: Math.max(0, count - lines), missing: Math.max(0, lines - count) };
  }
  const file = await open(path);
  try {
    const range = { from: 0, to: (await file.stat()).size, step: CHUNK };
    const read = (from: number, to: number): Promise<Buffer> => readFrom(file, from, to - from);
    return { skipped: 0, ...(await tailStart(read, range, lines)) };
  } finally {
    await file.close();
  }
};

const isWanted = async (path: string, since: number | undefined): Promise<boolean> =>
  since === undefined || ((await stat(path).catch(() => undefined))?.mtimeMs ?? 0) >= since;

const startOf = async (path: string, { tailLines, since }: LogOptions): Promise<Start> => {
  const all = await filesOf(path);
  const wanted = await Promise.all(all.map((file) => isWanted(file, since)));
  const files = all.filter((file, index) => wanted[index] || file === path);
  if (tailLines === undefined) return { files, offset: 0, skipped: 0 };
  let missing = tailLines;
  for (let index = files.length - 1; index >= 0; index -= 1) {
    const found = await tailIn(files[index] ?? path, missing);
    if (found.missing === 0 || index === 0) return { files: files.slice(index), ...found };
    missing = found.missing;
  }
  return { files, offset: 0, skipped: 0 };
};

/** Rejects if there is no such log. */
export const openCriLog = async (path: string, options: LogOptions): Promise<LogSource> => {
  const { files, offset, skipped } = await startOf(path, options);
  const [first = path, ...waiting] = files;
  let part = await openPart(first, offset);
  let toSkip = skipped;
  let left: Buffer = Buffer.alloc(0);
  const goTo = async (file: string): Promise<void> => {
    const opened = await openPart(file);
    await part.close();
    part = opened;
    left = Buffer.alloc(0);
  };
  const wholeLines = (lines: readonly Buffer[]): readonly LogLine[] => {
    const kept = lines.slice(toSkip);
    toSkip = Math.max(0, toSkip - lines.length);
    return kept.flatMap((line) => criLine(line) ?? []);
  };
  /** Goes on with the next file; `false`: the newest was read to its end. What was written to it before it was renamed comes first. */
  const goOn = async (last: () => Promise<Buffer>): Promise<Buffer | boolean> => {
    const next = waiting.shift();
    if (next === undefined && part.inode === (await inodeOf(path))) return false;
    const late = next === undefined ? await last() : Buffer.alloc(0);
    if (late.length > 0) return late;
    await goTo(next ?? (await fileBehind(path, part)));
    return true;
  };
  /** The next bytes, of this file or of the one behind it. */
  const nextBytes = async (): Promise<Buffer> => {
    for (;;) {
      const bytes = await part.read();
      if (bytes.length > 0) return bytes;
      const further = await goOn(() => part.read());
      if (further === false) return bytes;
      if (further !== true) return further;
    }
  };
  return {
    next: async () => {
      for (;;) {
        const bytes = await nextBytes();
        if (bytes.length === 0) return [];
        const { lines, rest } = splitLines(left, bytes, CHUNK);
        left = rest;
        const shown = wholeLines(lines);
        if (shown.length > 0) return shown;
      }
    },
    rest: () => {
      const line = left;
      left = Buffer.alloc(0);
      return line.length === 0 ? [] : wholeLines([line]);
    },
    close: () => part.close(),
  };
};
