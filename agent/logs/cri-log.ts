/** Reads a log in the format of the CRI, with its older files. */
import { criLine, type LogLine } from '../rules/logs/cri-line.ts';
import type { LogOptions } from '../rules/logs/log-options.ts';
import { splitLines } from '../rules/logs/split-lines.ts';
import { closeAll, type LogFile, openBehind, openFiles } from './cri-files.ts';
import { CHUNK, type LogSource } from './log-source.ts';

/** Where reading begins: behind some lines of the first of these files. */
interface Start {
  readonly files: readonly LogFile[];
  readonly skipped: number;
}

const tailOf = async (files: readonly LogFile[], tailLines: number): Promise<Start> => {
  let missing = tailLines;
  for (const [index, { part }] of [...files.entries()].reverse()) {
    const found = await part.tail(missing);
    if (found.missing === 0 || index === 0) return { files: files.slice(index), skipped: found.skipped };
    missing = found.missing;
  }
  return { files, skipped: 0 };
};

const startIn = async (all: readonly LogFile[], { tailLines, since = 0 }: LogOptions): Promise<Start> => {
  const files = all.filter(({ part }, index) => part.modifiedAt >= since || index === all.length - 1);
  return tailLines === undefined ? { files, skipped: 0 } : await tailOf(files, tailLines);
};

/** The files that are there stay open from here on: names change at each rotation. Rejects if there is no such log. */
const openStart = async (path: string, options: LogOptions): Promise<Start> => {
  const all = await openFiles(path);
  try {
    const start = await startIn(all, options);
    await closeAll(all.filter((file) => !start.files.includes(file)));
    return start;
  } catch (error) {
    await closeAll(all);
    throw error;
  }
};

/** The bytes of all files, one after the other: as few as the bounds of a log allow. `onNext`: the next file begins. */
const createBytes = (path: string, files: readonly LogFile[], onNext: () => void) => {
  const open = [...files];
  /** What is written to a file until the next one is there comes before that. */
  const append = async (last: LogFile): Promise<boolean> => {
    const behind = await openBehind(path, last);
    if (behind) open.push(behind);
    return behind !== undefined;
  };
  return {
    /** None: the newest was read to its end. */
    next: async (): Promise<Buffer> => {
      for (;;) {
        const [file, further] = open;
        const bytes = (await file?.part.read()) ?? Buffer.alloc(0);
        if (!file || bytes.length > 0) return bytes;
        if (further) {
          open.shift();
          await file.part.close();
          onNext();
        } else if (!(await append(file))) return bytes;
      }
    },
    close: () => closeAll(open),
  };
};

/** Rejects if there is no such log. Nothing more is read once `signal` aborts. */
export const openCriLog = async (
  path: string,
  options: LogOptions,
  signal: AbortSignal,
): Promise<LogSource> => {
  const { files, skipped } = await openStart(path, options);
  let toSkip = skipped;
  let left: Buffer = Buffer.alloc(0);
  const bytesOf = createBytes(path, files, () => {
    left = Buffer.alloc(0);
  });
  const wholeLines = (lines: readonly Buffer[]): readonly LogLine[] => {
    const kept = lines.slice(toSkip);
    toSkip = Math.max(0, toSkip - lines.length);
    return kept.flatMap((line) => criLine(line) ?? []);
  };
  return {
    next: async () => {
      // What is no line in this format may be of any length, and then nothing is shown for a long time.
      while (!signal.aborted) {
        const bytes = await bytesOf.next();
        if (bytes.length === 0) return [];
        const { lines, rest } = splitLines(left, bytes, CHUNK);
        left = rest;
        const shown = wholeLines(lines);
        if (shown.length > 0) return shown;
      }
      return [];
    },
    rest: () => {
      const line = left;
      left = Buffer.alloc(0);
      return line.length === 0 ? [] : wholeLines([line]);
    },
    close: () => bytesOf.close(),
  };
};
