/** One open file of a log in the format of the CRI. It can be read to its end even if it is renamed, compressed or deleted meanwhile. */
import type { FileHandle } from 'node:fs/promises';
import { pipeline } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { NotRegularError, openRegular } from '../adapters/linux/bounded-file.ts';
import { tailStart } from '../rules/logs/tail-start.ts';
import { CHUNK, MOST_SEARCHED } from './log-source.ts';

export interface Part {
  readonly inode: number;
  readonly isCompressed: boolean;
  readonly modifiedAt: number;
  /** Empty at its end, which may not last. */
  read(): Promise<Buffer>;
  /** Before the first `read`: has it begin with the last `lines`. How many of what is read then to skip, and how many are not there. */
  tail(lines: number): Promise<Tail>;
  /** Its first bytes, by which it is known again once it is compressed: lines begin with their times. */
  beginning(): Promise<Buffer>;
  close(): Promise<void>;
}

interface Tail {
  readonly skipped: number;
  readonly missing: number;
}

const BEGINNING = 256;
const NEW_LINE = 10;

const readFrom = async (file: FileHandle, position: number, most: number): Promise<Buffer> => {
  const { buffer, bytesRead } = await file.read(Buffer.allocUnsafe(most), 0, most, position);
  return buffer.subarray(0, bytesRead);
};

async function* bytesOf(file: FileHandle): AsyncGenerator<Buffer> {
  for (let at = 0; ; ) {
    const bytes = await readFrom(file, at, CHUNK);
    if (bytes.length === 0) return;
    at += bytes.length;
    yield bytes;
  }
}

/** From its first byte on. */
const unpack = (file: FileHandle) => pipeline(bytesOf(file), createGunzip(), () => {});

const countLines = async (file: FileHandle): Promise<number> => {
  let lines = 0;
  for await (const bytes of unpack(file)) for (const byte of bytes) if (byte === NEW_LINE) lines += 1;
  return lines;
};

const unpackedBeginning = async (file: FileHandle): Promise<Buffer> => {
  let found: Buffer = Buffer.alloc(0);
  for await (const bytes of unpack(file)) {
    found = Buffer.concat([found, bytes]).subarray(0, BEGINNING);
    if (found.length === BEGINNING) break;
  }
  return found;
};

type Reading = Pick<Part, 'read' | 'tail' | 'beginning' | 'close'>;

const compressedReading = (file: FileHandle): Reading => {
  let unpacked: ReturnType<typeof unpack> | undefined;
  let chunks: AsyncIterator<Buffer> | undefined;
  return {
    read: async () => {
      unpacked ??= unpack(file);
      chunks ??= unpacked[Symbol.asyncIterator]();
      const { value, done } = await chunks.next();
      return done ? Buffer.alloc(0) : value;
    },
    tail: async (lines) => {
      const count = await countLines(file);
      return { skipped: Math.max(0, count - lines), missing: Math.max(0, lines - count) };
    },
    beginning: () => unpackedBeginning(file),
    close: async () => {
      unpacked?.destroy();
      await file.close();
    },
  };
};

const plainReading = (file: FileHandle): Reading => {
  let position = 0;
  return {
    read: async () => {
      const bytes = await readFrom(file, position, CHUNK);
      position += bytes.length;
      return bytes;
    },
    tail: async (lines) => {
      const { size } = await file.stat();
      const range = { from: Math.max(0, size - MOST_SEARCHED), to: size, step: CHUNK };
      const { offset, missing } = await tailStart(
        (from, to) => readFrom(file, from, to - from),
        range,
        lines,
      );
      position = offset;
      return { skipped: 0, missing };
    },
    beginning: () => readFrom(file, 0, BEGINNING),
    close: () => file.close(),
  };
};

export const unlessAbsent = (error: unknown): undefined => {
  const isAbsent = (error as NodeJS.ErrnoException).code === 'ENOENT' || error instanceof NotRegularError;
  if (!isAbsent) throw error;
  return undefined;
};

/** `undefined`: there is no such regular file. */
export const openPart = async (path: string): Promise<Part | undefined> => {
  const file = await openRegular(path).catch(unlessAbsent);
  if (!file) return undefined;
  const { ino: inode, mtimeMs: modifiedAt } = await file.stat();
  const isCompressed = path.endsWith('.gz');
  const reading = isCompressed ? compressedReading(file) : plainReading(file);
  return { inode, isCompressed, modifiedAt, ...reading };
};
