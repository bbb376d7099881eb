import { mkdir, mkdtemp, readdir, rename, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { safeSubPath } from '../../../../agent/volumes/sub-path.ts';

let root = '';
let volume = '';

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'sub-path-'));
  volume = join(root, 'volume');
  await mkdir(join(volume, 'a', 'b'), { recursive: true });
  await mkdir(join(root, 'outside'));
  await writeFile(join(volume, 'a', 'file'), '1');
});

afterEach(async () => await rm(root, { recursive: true }));

const identityOf = async (path: string): Promise<string> => {
  const { dev, ino } = await stat(path);
  return `${dev}:${ino}`;
};

describe('J-158: a part of a volume', () => {
  it.each([
    ['a/b', 'a/b'],
    ['a/file', 'a/file'],
    ['./a//b/', 'a/b'],
    ['new/er', 'new/er'],
    ['relative', 'a/b'],
    ['absolute/b', 'a/b'],
    ['twice/b', 'a/b'],
    ['up/a', 'a'],
  ])('%s is %s of it, and is known by its inode', async (subPath, expected) => {
    await symlink('a/b', join(volume, 'relative'));
    await symlink(join(volume, 'a'), join(volume, 'absolute'));
    await symlink('absolute', join(volume, 'twice'));
    await symlink('../volume', join(volume, 'up'));
    const path = join(volume, expected);
    expect(await safeSubPath(volume, subPath)).toEqual({ path, identity: await identityOf(path) });
  });

  it.each(['out', 'out/made', 'near', 'dangling', 'loop', 'a/file/x', '../outside', '/etc', 'a/../..'])(
    '%s leads out of it, or nowhere',
    async (subPath) => {
      await symlink('../outside', join(volume, 'out'));
      await mkdir(join(root, 'volume-of-another'));
      await symlink('../volume-of-another', join(volume, 'near'));
      await symlink('../nowhere', join(volume, 'dangling'));
      await symlink('loop', join(volume, 'loop'));
      await expect(safeSubPath(volume, subPath)).rejects.toThrow(Error);
      expect(await readdir(join(root, 'outside'))).toEqual([]);
    },
  );

  it('stays in it while a program exchanges what a link leads to, again and again', async () => {
    const point = async (target: string): Promise<void> => {
      await symlink(target, join(volume, 'next'));
      await rename(join(volume, 'next'), join(volume, 'flip'));
    };
    await point('a');
    let isOver = false;
    const exchange = async (): Promise<void> => {
      while (!isOver) {
        await point('../outside');
        await point('a');
      }
    };
    const exchanging = exchange();
    const found: string[] = [];
    for (let tries = 0; tries < 300; tries += 1)
      await safeSubPath(volume, 'flip/made').then(
        ({ path }) => found.push(path),
        () => undefined,
      );
    isOver = true;
    await exchanging;
    expect(found.filter((path) => path !== join(volume, 'a', 'made'))).toEqual([]);
    expect(await readdir(join(root, 'outside'))).toEqual([]);
  });
});
