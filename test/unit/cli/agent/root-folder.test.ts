import {
  chmodSync,
  chownSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { makeRootFolder } from '../../../../cli/agent/root-folder.ts';

describe('the root folder of an agent', () => {
  let folder: string;
  const modeOf = (path: string): number => statSync(path).mode & 0o7777;

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'rollcall-root-'));
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  it('is made, closed to others, by the name that it has without links', async () => {
    symlinkSync(folder, join(folder, 'link'));
    const root = join(folder, 'a', 'b');
    expect(await makeRootFolder(join(folder, 'link', 'a', 'b'))).toBe(root);
    expect(modeOf(root)).toBe(0o700);
    expect(readdirSync(root)).toEqual([]);
  });

  it.each([[[]], [['lost+found']], [['token.json', 'other']], [['lock']], [['runtime']]])(
    'is closed if it was open before with %j',
    async (names) => {
      const root = join(folder, 'root');
      mkdirSync(root);
      chmodSync(root, 0o755);
      for (const name of names) writeFileSync(join(root, name), '');
      await makeRootFolder(root);
      expect(modeOf(root)).toBe(0o700);
    },
  );

  it('is tried without writing where a link leads', async () => {
    writeFileSync(join(folder, 'other'), 'text');
    const root = join(folder, 'root');
    mkdirSync(root);
    symlinkSync('../other', join(root, '.try'));
    await makeRootFolder(root);
    expect([readdirSync(root), readFileSync(join(folder, 'other'), 'utf8')]).toEqual([[], 'text']);
  });

  it.skipIf(process.getuid?.() !== 0)('is not a folder of another user', async () => {
    const root = join(folder, 'root');
    mkdirSync(root);
    chownSync(root, 1500, 1500);
    await expect(makeRootFolder(root)).rejects.toMatchObject({
      exitCode: 2,
      message: expect.stringContaining('belongs to the user 1500'),
    });
  });

  it('is not a folder that has files for others', async () => {
    const root = join(folder, 'home');
    mkdirSync(root);
    chmodSync(root, 0o755);
    writeFileSync(join(root, 'page.html'), '');
    await expect(makeRootFolder(root)).rejects.toMatchObject({
      exitCode: 2,
      message: expect.stringContaining('chmod 700'),
    });
    expect(modeOf(root)).toBe(0o755);
    chmodSync(root, 0o700);
    expect(await makeRootFolder(root)).toBe(root);
  });
});
