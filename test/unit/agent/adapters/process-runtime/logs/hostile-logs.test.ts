/** Logs that their programs made to be more than a log. */
import {
  appendFileSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { findProgram } from '../../../../../../agent/adapters/linux/find-program.ts';
import { createLineTimes } from '../../../../../../agent/adapters/process-runtime/logs/line-times.ts';
import { logTail, rotateLog } from '../../../../../../agent/adapters/process-runtime/logs/logs.ts';
import { rotatedName } from '../../../../../../agent/rules/runtime/log-rotation.ts';
import { NO_FILES, SPARSE_BYTES, writeSparse } from '../../../../../support/agent/machines/hostile-files.ts';

const BOUNDS = { maxSize: 100_000, maxFiles: 3 };
const fallocate = findProgram('fallocate') ?? '/bin/false';

describe('a log of a hostile program', () => {
  let folder: string;
  const path = (name = '0.log'): string => join(folder, name);
  const place = () => ({ folder, name: '0.log' });
  const rotate = () => rotateLog(place(), BOUNDS, fallocate);
  const kept = (): number =>
    readdirSync(folder).reduce((sum, name) => sum + statSync(path(name)).blocks * 512, 0);

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'rollcall-hostile-'));
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  it('that is sparse takes no more than its bounds, and goes on', async () => {
    writeSparse(path(), 'begin\n');
    for (const line of ['a\n', 'b\n']) {
      await rotate();
      appendFileSync(path(), line);
    }
    expect(readdirSync(folder)).toHaveLength(BOUNDS.maxFiles);
    expect(statSync(path()).size).toBe(SPARSE_BYTES + 4);
    expect(kept()).toBeLessThan(2 * BOUNDS.maxFiles * BOUNDS.maxSize);
    expect(await logTail(place(), 4, 80)).toBe('a\nb\n');
  });

  it('that was lengthened beyond all names begins anew', async () => {
    writeFileSync(path(rotatedName('0.log', 6)), 'begin\n');
    writeFileSync(path('0.log.times'), '6 1\n');
    writeFileSync(path(), 'begin\n');
    try {
      truncateSync(path(), 10 ** 15);
    } catch {
      return; // This file system has no such files.
    }
    await rotate();
    expect(readdirSync(folder)).toEqual(['0.log']);
    expect(statSync(path()).size).toBe(0);
  });

  it('that was cut has a tail, and is read from its new beginning', async () => {
    writeFileSync(path(), 'a line\n'.repeat(60_000));
    await rotate();
    truncateSync(path(), 0);
    appendFileSync(path(), 'anew\n');
    expect(await logTail(place(), 2048, 80)).toBe('');
    await rotate();
    expect(readdirSync(folder)).toEqual(['0.log']);
    expect(await logTail(place(), 2048, 80)).toBe('anew\n');
  });

  it.each(NO_FILES)('has no tail, and says so at its rotation, if there is %s', async (_, make) => {
    make(path());
    expect(await logTail(place(), 2048, 80)).toBe('');
    await createLineTimes().note(place());
    await rotate().catch((error: unknown) => expect(String(error)).toContain('no regular file'));
  });

  it('is noted once for each time that it has grown', async () => {
    const times = createLineTimes();
    writeFileSync(path(), 'a\n');
    await Promise.all([times.note(place()), times.note(place())]);
    appendFileSync(path(), 'b\n');
    await Promise.all([times.note(place()), times.note(place())]);
    const noted = readFileSync(path('0.log.times'), 'utf8').split('\n');
    expect(noted.map((line) => line.split(' ')[0])).toEqual(['2', '4', '']);
    rmSync(path());
    await times.note(place());
    expect(readdirSync(folder)).toEqual([]);
  });
});
