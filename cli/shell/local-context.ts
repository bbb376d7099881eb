import { createReadStream } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { addAbortSignal, type Readable } from 'node:stream';
import { setTimeout } from 'node:timers/promises';
import { startLarge, startSmall } from '../../bundling/heap.ts';
import { printableLines } from '../../shared/kube/text/printable.ts';
import type { LocalContext } from './command.ts';

/** Bytes. The API refuses longer tokens unread. */
const MOST_BYTES = 8192;
/** Milliseconds: an input that is open and silent must not keep a program from starting. */
const MOST_MS = 60_000;

const fault = (signal: AbortSignal, error: unknown): unknown =>
  signal.aborted ? new Error(`it had no line within ${MOST_MS / 1000} s`) : error;

/** The first line that is not blank; `''`: there is none. Reads no further. Rejects if it does not end within the bounds. */
export const firstLine = async (
  stream: Readable,
  signal: AbortSignal = AbortSignal.timeout(MOST_MS),
): Promise<string> => {
  let text = '';
  let bytes = 0;
  try {
    for await (const chunk of addAbortSignal(signal, stream) as AsyncIterable<Buffer>) {
      text = `${text}${chunk.toString('latin1')}`.trimStart();
      bytes += chunk.length;
      if (text.includes('\n')) break;
      if (bytes > MOST_BYTES) throw new Error(`its first line has more than ${MOST_BYTES} bytes`);
    }
  } catch (error) {
    throw fault(signal, error);
  }
  return text.split('\n', 1)[0]?.trim() ?? '';
};

const readFirstLine = (path: string): Promise<string> =>
  firstLine(path === '-' ? process.stdin : createReadStream(path));

/** What a command that calls neither AWS nor an API by `fetch` has of its shell. */
export const localContext: LocalContext = {
  env: process.env,
  now: () => Date.now(),
  wait: (ms) => setTimeout(ms),
  print: (text) => process.stdout.write(`${printableLines(text)}\n`),
  complain: (text) => process.stderr.write(`${printableLines(text)}\n`),
  readFile: (path) => readFile(path, 'utf8'),
  readFirstLine,
  writeFile: (path, text) => writeFile(path, text),
  startSmall,
  startLarge,
};
