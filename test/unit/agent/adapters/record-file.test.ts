import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { shutdownRecordFile } from '../../../../agent/adapters/shutdown-record-file.ts';

const NAME = 'graceful_node_shutdown_state';

describe('the file of the last shutdown', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'rollcall-record-'));
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  it('keeps what is stored, readable for everybody, and nothing beside it', async () => {
    const file = shutdownRecordFile(folder);
    await file.store({ startedAt: 1000 });
    await file.store({ startedAt: 1000, endedAt: 2500 });
    expect(await file.load()).toEqual({ startedAt: 1000, endedAt: 2500 });
    expect(readFileSync(join(folder, NAME), 'utf8')).toBe(
      '{"startTime":"1970-01-01T00:00:01Z","endTime":"1970-01-01T00:00:02.5Z"}',
    );
    expect(statSync(join(folder, NAME)).mode & 0o777).toBe(0o644);
    expect(readdirSync(folder)).toEqual([NAME]);
  });

  it('is no error when it is missing or broken', async () => {
    expect(await shutdownRecordFile(folder).load()).toBeUndefined();
    writeFileSync(join(folder, NAME), '{"startTime');
    expect(await shutdownRecordFile(folder).load()).toBeUndefined();
  });

  it('rejects when there is no such folder', async () => {
    await expect(shutdownRecordFile(join(folder, 'none')).store({})).rejects.toThrow('ENOENT');
  });
});
