import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createTrash, removeTree } from '../../../../../../agent/adapters/linux/trees/remove-tree.ts';
import { eventually } from '../../../../../support/clocks/eventually.ts';

const PATIENCE_MS = 30_000;

let root = '';

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'trash-'));
});

afterEach(() => rmSync(root, { recursive: true, force: true }));

const aTree = (name: string): string => {
  const path = join(root, name);
  mkdirSync(join(path, 'a/b'), { recursive: true });
  writeFileSync(join(path, 'a/b/file'), 'x');
  return path;
};

interface Fake {
  readonly faults: Map<string, string>;
  readonly tried: string[];
  readonly lines: string[];
  readonly pauses: number[];
  now: number;
  /** What waits for its next try begins it. */
  again(): Promise<void>;
}

const withFakes = (folder = join(root, 'trash')) => {
  const due: (() => void)[] = [];
  const fake: Fake = {
    faults: new Map(),
    tried: [],
    lines: [],
    pauses: [],
    now: 0,
    again: async () => {
      for (const callback of due.splice(0)) callback();
      await Promise.resolve();
      await new Promise(setImmediate);
    },
  };
  const trash = createTrash({
    folder,
    log: (line) => fake.lines.push(line),
    uptime: () => fake.now,
    later: (callback, ms) => {
      fake.pauses.push(ms);
      due.push(callback);
    },
    remove: async (path) => {
      const name = path.slice(path.lastIndexOf('/') + 1).replace(/\.~.*/, '');
      fake.tried.push(name);
      const fault = fake.faults.get(name);
      if (fault === undefined) rmSync(path, { recursive: true, force: true });
      return fault;
    },
  });
  return { fake, trash };
};

describe('a tree that is discarded', () => {
  it('leaves its place at once, and the disk later', async () => {
    const path = aTree('pod');
    const trash = createTrash({ folder: join(root, 'trash'), log: () => {} });
    const discarded = trash.discard(path);
    expect([existsSync(path), trash.holds('pod'), trash.holds('po')]).toEqual([false, true, false]);
    expect(statSync(join(root, 'trash')).mode & 0o777).toBe(0o700);
    await discarded;
    await eventually('the disk has nothing of it', PATIENCE_MS, async () => !trash.holds('pod'));
    expect(readdirSync(join(root, 'trash'))).toEqual([]);
  });

  it('may be gone, and may have a name that is as long as names can be', async () => {
    const { fake, trash } = withFakes();
    await trash.discard(join(root, 'nowhere'));
    const name = 'n'.repeat(255);
    await trash.discard(aTree(name));
    expect([fake.tried.length, existsSync(join(root, name))]).toEqual([1, false]);
  });

  it('is not there if no file system takes its name', async () => {
    const { trash } = withFakes();
    await trash.discard(join(root, 'x'.repeat(256)));
    expect(existsSync(join(root, 'trash'))).toBe(true);
    expect(trash.holds('x'.repeat(256))).toBe(false);
  });

  it('is removed where it is if it cannot be moved, and the call fails if something is left', async () => {
    const [path, folder] = [aTree('pod'), join(root, 'trash')];
    const { fake, trash } = withFakes(folder);
    rmSync(folder, { recursive: true });
    writeFileSync(folder, 'no folder');
    fake.faults.set('pod', `rm: cannot remove 'x\n': ${'y'.repeat(5000)}`);
    const error = await trash.discard(path).catch((fault: unknown) => fault as Error);
    expect(error).toBeInstanceOf(Error);
    const { message } = error as Error;
    expect(message).toContain(String.raw`cannot be removed: rm: cannot remove 'x\n': yyy`);
    expect(message.length).toBeLessThan(1200);
    fake.faults.clear();
    await trash.discard(path);
    expect(existsSync(path)).toBe(false);
  });
});

describe('a tree that does not go', () => {
  it('is tried again with longer pauses until it goes, and is told once when it is older than ten minutes', async () => {
    const { fake, trash } = withFakes();
    fake.faults.set('pod', "rm: cannot remove 'a\nforged line': Operation not permitted");
    await trash.discard(aTree('pod'));
    await new Promise(setImmediate);
    for (fake.now of [1000, 599_999]) await fake.again();
    expect(fake.lines).toEqual([]);
    for (fake.now of [600_000, 700_000, 800_000, 900_000, 1_000_000]) await fake.again();
    expect(fake.lines).toHaveLength(1);
    expect(fake.lines[0]).toMatch(/^\S+ takes room on the disk for more than 10 min: rm: .*a\\nforged line/);
    expect(fake.pauses).toEqual([1, 2, 4, 8, 16, 32, 60, 60].map((seconds) => seconds * 1000));
    fake.faults.clear();
    await fake.again();
    expect([trash.holds('pod'), readdirSync(join(root, 'trash'))]).toEqual([false, []]);
  });

  it('is deleted by the next agent', async () => {
    const { fake, trash } = withFakes();
    fake.faults.set('pod', 'Operation not permitted');
    await trash.discard(aTree('pod'));
    trash.close();
    const next = withFakes();
    await new Promise(setImmediate);
    expect([next.fake.tried, next.trash.holds('pod')]).toEqual([['pod'], false]);
  });

  it('keeps no other one: as many as there are, each has its turn', async () => {
    const { fake, trash } = withFakes();
    const names = Array.from({ length: 10 }, (_, index) => `pod${index}`);
    for (const name of names.slice(0, 9)) fake.faults.set(name, 'Operation not permitted');
    for (const name of names) await trash.discard(aTree(name));
    await new Promise(setImmediate);
    expect(fake.tried.toSorted()).toEqual(names);
    expect(trash.holds('pod9')).toBe(false);
  });
});

describe('the program that removes', () => {
  it('takes the whole tree, and says why something is left', async () => {
    const path = aTree('-pod with spaces');
    expect(await removeTree(path)).toBeUndefined();
    expect(existsSync(path)).toBe(false);
    expect(await removeTree(path)).toBeUndefined();
    expect(await removeTree('/proc/self/status')).toMatch(/^rm: cannot remove '\/proc\/self\/status'/);
  });

  it('ends with the agent', async () => {
    const path = aTree('pod');
    const stop = new AbortController();
    stop.abort();
    expect([undefined, 'it was not removed within 10 min']).toContain(await removeTree(path, stop.signal));
  });
});
