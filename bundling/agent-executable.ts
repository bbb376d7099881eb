/** The agent alone as one executable for Linux. */

import { makeExecutable } from './executable.ts';
import { SMALL_HEAP } from './heap.ts';

/** Writes `rollcall-agent` beside `file`, which `bundleAgent` has made; returns its path. */
export const makeAgentExecutable = (file: string, node = process.execPath): string =>
  makeExecutable({ file, output: file.replace(/\.cjs$/, ''), flags: SMALL_HEAP }, node);
