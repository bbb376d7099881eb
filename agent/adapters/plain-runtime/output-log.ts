/** Writes what a container says to its log, in the format of the CRI. */
import { type FileHandle, open } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import type { EpochMs } from '../../../shared/kube/values/time.ts';
import type { LogBounds } from '../../rules/logs/log-bounds.ts';
import { logText } from '../../rules/plain/log-text.ts';
import { rotateLog } from '../cri/logs.ts';

const LOG_MODE = 0o600;

export interface OutputLogOptions {
  readonly path: string;
  readonly bounds: LogBounds;
  readonly now: () => EpochMs;
  readonly report: (error: unknown) => void;
}

/** A log that is open. */
export interface OutputLog {
  /** Writes all of the stream. The program waits while the disk is slow, so nothing grows. Resolves when the stream is over. */
  carry(name: 'stdout' | 'stderr', stream: Readable): Promise<void>;
  /** Resolves when all is written. */
  close(): Promise<void>;
}

/** The newest file of the log. */
const createFile = ({ path, bounds, now }: OutputLogOptions) => {
  let file: FileHandle | undefined;
  let size = 0;
  /** The end of the file may be half a line. */
  let isTorn = false;
  const reopen = async (): Promise<void> => {
    const before = file;
    file = undefined;
    await before?.close();
    file = await open(path, 'a', LOG_MODE);
    ({ size } = await file.stat());
  };
  const append = async (text: Buffer): Promise<void> => {
    if (!file) await reopen();
    const whole = isTorn ? Buffer.concat([Buffer.from('\n'), text]) : text;
    isTorn = true;
    await file?.appendFile(whole);
    isTorn = false;
    size += whole.length;
    if (size >= bounds.maxSize) await rotateLog(path, bounds, now(), reopen);
  };
  return { append, reopen, close: async () => await file?.close() };
};

/** Rejects if the file cannot be made. Lines that the disk has no room for are lost, which is reported once until there is room again. */
export const openOutputLog = async (options: OutputLogOptions): Promise<OutputLog> => {
  const file = createFile(options);
  await file.reopen();
  let isFailing = false;
  const append = async (text: Buffer): Promise<void> => {
    try {
      await file.append(text);
      isFailing = false;
    } catch (error) {
      if (!isFailing) options.report(error);
      isFailing = true;
    }
  };
  let last: Promise<void> = Promise.resolve();
  const write = (name: 'stdout' | 'stderr', piece: Buffer): Promise<void> => {
    last = last.then(() => append(logText(name, piece, options.now())));
    return last;
  };
  return {
    carry: async (name, stream) => {
      try {
        for await (const piece of stream) await write(name, piece as Buffer);
      } catch {
        // What breaks the stream ends it.
      }
    },
    close: async () => {
      await last;
      await file.close().catch(options.report);
    },
  };
};
