/** What a program may put in the place of a file that the agent reads. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { findProgram } from '../../../../agent/adapters/linux/find-program.ts';

const MKFIFO = findProgram('mkfifo') ?? 'mkfifo';

/** Bytes. The file has no blocks. */
export const SPARSE_BYTES = 8 * 1024 ** 4;

/** Things that are no regular files: opening or reading them for long is what the agent must not do. */
export const NO_FILES: readonly (readonly [string, (path: string) => void])[] = [
  ['a pipe', (path) => void execFileSync(MKFIFO, [path])],
  ['a link to an endless device', (path) => symlinkSync('/dev/zero', path)],
  ['a link to a file', (path) => symlinkSync('/etc/passwd', path)],
  ['a link to itself', (path) => symlinkSync(path, path)],
  ['a folder', (path) => mkdirSync(path)],
];

/** The beginning `text`, and zeros up to the whole length. */
export const writeSparse = (path: string, text = '', bytes = SPARSE_BYTES): void => {
  rmSync(path, { force: true });
  writeFileSync(path, text);
  truncateSync(path, bytes);
};
