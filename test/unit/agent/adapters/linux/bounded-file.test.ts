import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  endIn,
  NotRegularError,
  openRegular,
  readAtMost,
} from '../../../../../agent/adapters/linux/bounded-file.ts';
import { NO_FILES, writeSparse } from '../../../../support/agent/machines/hostile-files.ts';

describe('a file that a program can write to', () => {
  let folder: string;
  let path: string;

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'rollcall-bounded-'));
    path = join(folder, 'file');
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  it.each([
    ['abc', 2, 'bc'],
    ['abc', 4, 'abc'],
    ['', 4, ''],
    ['x'.repeat(20_000), 20_000, 'x'.repeat(8192)],
  ])('that has %j ends, in at most %d bytes, with %j', async (text, most, expected) => {
    writeFileSync(path, text);
    expect(await endIn(path, most)).toBe(expected);
  });

  it('has no end if it is not there', async () => {
    expect(await endIn(path, 4)).toBeUndefined();
    await expect(openRegular(path)).rejects.toMatchObject({ code: 'ENOENT' });
  });

  it.each([8 * 1024 ** 4, 15 * 1024 ** 4])('may be sparse, of %d bytes', async (bytes) => {
    writeSparse(path, 'begin', bytes);
    expect(await endIn(path, 4096)).toBe('\0'.repeat(4096));
    const file = await openRegular(path);
    expect((await readAtMost(file, 0, 6)).toString()).toBe('begin\0');
    await file.close();
  });

  it.each(NO_FILES)('is not read if it is %s', async (_, make) => {
    make(path);
    expect(await endIn(path, 4)).toBeUndefined();
    await expect(openRegular(path)).rejects.toThrow(NotRegularError);
  });

  it('is read up to its end, or as far as is asked for', async () => {
    writeFileSync(path, 'abcdef');
    const file = await openRegular(path);
    expect((await readAtMost(file, 2, 3)).toString()).toBe('cde');
    expect((await readAtMost(file, 4, 100)).toString()).toBe('ef');
    expect(await readAtMost(file, 9, 1)).toHaveLength(0);
    await file.close();
  });
});
