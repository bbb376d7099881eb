import { execFileSync } from 'node:child_process';
import { chmodSync, linkSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { treeSizes } from '../../../../../../agent/adapters/linux/trees/tree-size.ts';

let root = '';
const path = process.env['PATH'] ?? '';

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'size-'));
});

afterEach(() => {
  process.env['PATH'] = path;
  rmSync(root, { recursive: true, force: true });
});

/** A program that takes the place of `du` for the test. */
const withDu = (script: string): void => {
  const folder = join(root, 'bin');
  mkdirSync(folder);
  writeFileSync(join(folder, 'du'), `#!/bin/sh\n${script}\n`);
  chmodSync(join(folder, 'du'), 0o755);
  process.env['PATH'] = `${folder}:${path}`;
};

it('all that is below counts, and a file with two names once', async () => {
  const [logs, other] = [join(root, 'logs'), join(root, 'with space')];
  mkdirSync(join(logs, 'a'), { recursive: true });
  mkdirSync(other);
  writeFileSync(join(logs, 'a/0.log'), 'x'.repeat(10_000));
  linkSync(join(logs, 'a/0.log'), join(logs, 'again.log'));
  const found = await treeSizes([logs, other, join(root, 'nowhere')]);
  if (found.is !== 'measured') throw new Error(found.is);
  expect([...found.sizes.keys()]).toEqual([logs, other]);
  expect(found.sizes.get(logs)?.inodes).toBe(3);
  expect(found.sizes.get(other)?.inodes).toBe(1);
  expect(found.sizes.get(logs)?.bytes).toBeGreaterThanOrEqual(10_000);
});

it('nothing to measure is nothing, and folders that are not there have no size', async () => {
  expect(await treeSizes([])).toEqual({ is: 'measured', sizes: new Map() });
  const only = await treeSizes([join(root, 'nowhere')]);
  expect(only).toEqual({ is: 'measured', sizes: new Map() });
});

it('what takes too long is not zero', async () => {
  withDu('exec sleep 600');
  expect(await treeSizes([root], 100)).toEqual({ is: 'unmeasurable' });
});

it.each([
  [
    'a folder that could not be read',
    String.raw`printf '5\t%s\0' "$4"; echo "du: cannot read directory 'x': Permission denied" >&2; exit 1`,
  ],
  ['a program that was killed for its memory', 'kill -9 $$'],
])('%s is not zero', async (_, script) => {
  withDu(script);
  expect(await treeSizes([root])).toEqual({ is: 'unmeasurable' });
});

it('files that go away meanwhile do no harm, however many they are', async () => {
  withDu(
    String.raw`printf '5\t%s\0' "$4"; yes "du: cannot access 'x': No such file or directory" | head -n 10000 >&2; exit 1`,
  );
  expect(await treeSizes([root])).toEqual({
    is: 'measured',
    sizes: new Map([[root, { bytes: 5, inodes: 5 }]]),
  });
});

it('a machine without the program says nothing about its pods', async () => {
  process.env['PATH'] = '/nowhere';
  expect(await treeSizes([root])).toMatchObject({ is: 'failed', fault: expect.stringContaining('ENOENT') });
});

it('a program with other options says nothing about pods', async () => {
  withDu('echo "du: unrecognized option: 0" >&2; exit 1');
  expect(await treeSizes([root])).toEqual({ is: 'failed', fault: 'du: unrecognized option: 0' });
});

it('is measured with the least right to the processor', async () => {
  withDu(String.raw`printf '%s\t%s\0' "$(nice)" "$4"`);
  const found = await treeSizes([root]);
  const own = Number(execFileSync('nice', { encoding: 'utf8' }));
  expect(found).toMatchObject({ sizes: new Map([[root, { bytes: Math.min(19, own + 19), inodes: 19 }]]) });
});
