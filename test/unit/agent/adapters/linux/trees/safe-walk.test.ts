import { execFileSync } from 'node:child_process';
import {
  linkSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readlinkSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { giveTree } from '../../../../../../agent/adapters/linux/trees/give-tree.ts';
import {
  type Found,
  MOST_LEVELS,
  safeWalk,
  TooDeep,
} from '../../../../../../agent/adapters/linux/trees/safe-walk.ts';

let root = '';

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'walk-'));
});

afterEach(() => rmSync(root, { recursive: true, force: true }));

const deep = (levels: number): string => {
  const path = join(root, ...Array.from({ length: levels }, () => 'd'));
  mkdirSync(path, { recursive: true });
  return path;
};

/** What this process has open in a folder; other tests have other files open. */
const heldBelow = (folder: string): readonly string[] =>
  readdirSync('/proc/self/fd')
    .map((fd) => {
      try {
        return readlinkSync(`/proc/self/fd/${fd}`);
      } catch {
        return '';
      }
    })
    .filter((path) => path.startsWith(folder));

const namesOf = async (onFound: (found: Found) => void = () => {}): Promise<readonly string[]> => {
  const names: string[] = [];
  await safeWalk(root, async (found) => {
    const name = execFileSync('readlink', ['-n', found.descriptor.replace('self', String(process.pid))]);
    names.push(basename(name.toString()));
    onFound(found);
  });
  return names;
};

describe('a walk by descriptors', () => {
  it('visits each file, folder, pipe and link once, and folders after what is in them', async () => {
    mkdirSync(join(root, 'a/b'), { recursive: true });
    writeFileSync(join(root, 'a/b/file'), '');
    symlinkSync('/etc', join(root, 'a/link'));
    execFileSync('mknod', [join(root, 'a/pipe'), 'p']);
    writeFileSync(Buffer.concat([Buffer.from(`${root}/a/`), Buffer.from([0xff])]), '');
    const names = await namesOf();
    expect(names.toSorted()).toEqual(['a', 'b', basename(root), 'file', 'link', 'pipe', '\uFFFD'].toSorted());
    expect(names.slice(-2)).toEqual(['a', basename(root)]);
    expect(names.indexOf('b')).toBeGreaterThan(names.indexOf('file'));
  });

  it('goes on where it is when a link takes the place of a folder', async () => {
    const [inner, foreign] = [join(root, 'a'), mkdtempSync(join(tmpdir(), 'foreign-'))];
    writeFileSync(join(foreign, 'precious'), '');
    mkdirSync(inner);
    for (const name of ['1', '2', '3']) writeFileSync(join(inner, name), '');
    let isSwapped = false;
    const names = await namesOf(() => {
      if (isSwapped) return;
      isSwapped = true;
      renameSync(inner, join(root, 'aside'));
      symlinkSync(foreign, inner);
    });
    expect(names).not.toContain('precious');
    expect(names.filter((name) => /^[123]$/.test(name))).toHaveLength(3);
    rmSync(foreign, { recursive: true });
  });

  it('takes no link for its root, and nothing that is not there', async () => {
    symlinkSync('/etc', join(root, 'link'));
    await expect(safeWalk(join(root, 'link'), async () => {})).rejects.toThrow('ENOTDIR');
    await expect(safeWalk(join(root, 'nowhere'), async () => {})).rejects.toThrow('ENOENT');
  });

  it('goes as deep as it holds descriptors, and leaves none behind', async () => {
    deep(MOST_LEVELS);
    expect(await namesOf()).toHaveLength(MOST_LEVELS + 1);
    deep(MOST_LEVELS + 1);
    await expect(safeWalk(root, async () => {})).rejects.toThrow(TooDeep);
    expect(heldBelow(root)).toEqual([]);
  });
});

// Only root gives files away.
describe.skipIf(process.getuid?.() !== 0)('a tree that is given to a group', () => {
  const factsOf = (name: string): readonly unknown[] => {
    const { gid, mode } = lstatSync(join(root, name));
    return [gid, (mode & 0o7777).toString(8)];
  };

  it('has its rights on files, folders and pipes, and not on devices and links', async () => {
    mkdirSync(join(root, 'folder'), { mode: 0o700 });
    writeFileSync(join(root, 'folder/file'), '', { mode: 0o600 });
    execFileSync('mknod', ['-m', '600', join(root, 'pipe'), 'p']);
    execFileSync('mknod', ['-m', '600', join(root, 'device'), 'c', '1', '3']);
    symlinkSync('/etc/hostname', join(root, 'link'));
    await giveTree(root, 5000);
    expect(['.', 'folder', 'folder/file', 'pipe', 'device'].map(factsOf)).toEqual([
      [5000, '2770'],
      [5000, '2770'],
      [5000, '660'],
      [5000, '660'],
      [0, '600'],
    ]);
    expect(lstatSync(join(root, 'link')).gid).toBe(0);
    expect(lstatSync('/etc/hostname').gid).toBe(0);
  });

  it('is the file of a second name, too: the kernel lets users name their own files only', async () => {
    writeFileSync(join(root, 'file'), '', { mode: 0o600 });
    linkSync(join(root, 'file'), join(root, 'again'));
    await giveTree(root, 5000);
    expect(factsOf('again')).toEqual([5000, '660']);
  });
});
