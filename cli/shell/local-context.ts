import { readFile, writeFile } from 'node:fs/promises';
import { setTimeout } from 'node:timers/promises';
import { startSmall } from '../../bundling/small-heap.ts';
import { printableLines } from '../../shared/kube/text/printable.ts';
import type { LocalContext } from './command.ts';

/** What a command that calls neither AWS nor an API by `fetch` has of its shell. */
export const localContext: LocalContext = {
  env: process.env,
  now: () => Date.now(),
  wait: (ms) => setTimeout(ms),
  print: (text) => process.stdout.write(`${printableLines(text)}\n`),
  complain: (text) => process.stderr.write(`${printableLines(text)}\n`),
  readFile: (path) => readFile(path, 'utf8'),
  writeFile: (path, text) => writeFile(path, text),
  startSmall,
};
