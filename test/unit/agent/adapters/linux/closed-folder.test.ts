import { chmodSync, mkdirSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { makeFolder } from '../../../../../agent/adapters/linux/closed-folder.ts';

let folder: string;
const modes = (...names: readonly string[]) =>
  names.map((name) => (statSync(join(folder, name)).mode & 0o7777).toString(8));

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'rollcall-closed-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

it.each([0, 0o077, 0o777])('a folder and those above it have their mode, whatever the mask: %o', (mask) => {
  mkdirSync(join(folder, 'there'));
  chmodSync(join(folder, 'there'), 0o755);
  const before = process.umask(mask);
  try {
    makeFolder(join(folder, 'there/a/b/c'), 0o750);
  } finally {
    process.umask(before);
  }
  expect(modes('there', 'there/a', 'there/a/b', 'there/a/b/c')).toEqual(['755', '750', '750', '750']);
  makeFolder(join(folder, 'there/a/b'), 0o700);
  expect(modes('there/a', 'there/a/b', 'there/a/b/c')).toEqual(['750', '700', '750']);
});
