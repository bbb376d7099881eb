import { mkdtempSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { writeAtomically } from '../../../../agent/volumes/atomic-folder.ts';
import { NO_FILES, SPARSE_BYTES } from '../../../support/agent/machines/hostile-files.ts';

describe('files that a container has changed', () => {
  let folder: string;
  const path = (): string => join(folder, '..data', 'key');
  const write = () =>
    writeAtomically(folder, new Map([['key', { data: Buffer.from('value'), mode: 0o644 }]]), {}, 0);

  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'rollcall-atomic-'));
    await write();
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  const changes: readonly (readonly [string, () => void])[] = [
    ['other text', () => writeFileSync(path(), 'other')],
    ['more text', () => writeFileSync(path(), 'values')],
    ['terabytes without blocks', () => truncateSync(path(), SPARSE_BYTES)],
    ...NO_FILES.map(([name, make]): readonly [string, () => void] => [
      name,
      () => {
        rmSync(path());
        make(path());
      },
    ]),
  ];

  it.each(changes)('are written again: %s', async (_, change) => {
    change();
    await write();
    expect(readFileSync(join(folder, 'key'), 'utf8')).toBe('value');
  });
});
