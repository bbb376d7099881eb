/** The rotation of a log that a runtime of the CRI writes. */
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { logEnd, rotateLog } from '../../../../../agent/adapters/cri/logs.ts';

import { NO_FILES, writeSparse } from '../../../../support/agent/machines/hostile-files.ts';

const NOW = Date.parse('2026-01-02T03:04:05Z');
const BOUNDS = { maxSize: 1, maxFiles: 3 };
let folder: string;
let path: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'rollcall-rotate-'));
  path = join(folder, '0.log');
});
afterEach(() => rmSync(folder, { recursive: true }));

const rotate = (now: number, next: string): Promise<void> =>
  rotateLog(path, BOUNDS, now, async () => writeFileSync(path, next));

describe('the rotation of a log', () => {
  it('keeps the newest files when the clock is set back', async () => {
    writeFileSync(path, 'a');
    await rotate(NOW, 'b');
    await rotate(NOW, 'c');
    await rotate(NOW - 3_600_000, 'd');
    expect(readdirSync(folder)).toEqual(['0.log', '0.log.20260102-030406.gz', '0.log.20260102-030407']);
    expect(readFileSync(join(folder, '0.log.20260102-030407'), 'utf8')).toBe('c');
  });

  it('is brought to its end by the next agent if one was killed in the middle', async () => {
    writeFileSync(path, 'a');
    void rotateLog(path, BOUNDS, NOW, () => new Promise(() => undefined));
    expect(readdirSync(folder)).toEqual(['0.log.20260102-030405']);
    await rotate(NOW + 60_000, 'b');
    expect(readdirSync(folder)).toEqual(['0.log', '0.log.20260102-030405']);
    expect(readFileSync(path, 'utf8')).toBe('b');
  });

  it.each(NO_FILES)('does not rename or read %s', async (_, make) => {
    make(path);
    await expect(rotate(NOW, 'b')).rejects.toThrow('no regular file');
    expect(readdirSync(folder)).toEqual(['0.log']);
    expect(await logEnd(path)).toBe('');
  });

  it.each([...NO_FILES, ['a sparse file', writeSparse] as const])('leaves %s as it is', async (_, make) => {
    writeFileSync(path, 'a');
    make(join(folder, '0.log.20260102-030305'));
    await rotateLog(path, { maxSize: 1, maxFiles: 5 }, NOW, async () => writeFileSync(path, 'b'));
    expect(readdirSync(folder)).toEqual(['0.log', '0.log.20260102-030305', '0.log.20260102-030405']);
  });

  it('compresses files for the agent alone', async () => {
    for (const at of [NOW, NOW + 1000]) {
      writeFileSync(path, 'a');
      await rotate(at, 'b');
    }
    expect(statSync(join(folder, '0.log.20260102-030405.gz')).mode & 0o777).toBe(0o600);
  });

  it('reads the end of a sparse log', async () => {
    writeSparse(path, 'a');
    expect(await logEnd(path)).toBe('');
  });

  it.each([
    ['keeps its name if the runtime makes no new file', undefined, ['0.log'], 'a'],
    [
      'keeps a new file that a runtime has made before it failed',
      'b',
      ['0.log', '0.log.20260102-030405'],
      'b',
    ],
  ])('%s', async (_, made, names, text) => {
    writeFileSync(path, 'a');
    const reopen = async (): Promise<void> => {
      if (made !== undefined) writeFileSync(path, made);
      throw new Error('time-out');
    };
    await expect(rotateLog(path, BOUNDS, NOW, reopen)).rejects.toThrow('time-out');
    expect(readdirSync(folder)).toEqual(names);
    expect(readFileSync(path, 'utf8')).toBe(text);
  });
});
