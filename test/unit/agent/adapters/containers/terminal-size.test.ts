import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createTerminalSizer } from '../../../../../agent/adapters/containers/terminal-size.ts';
import { eventually } from '../../../../support/clocks/eventually.ts';

let folder: string;
const sizes = (): readonly string[] => {
  const file = join(folder, 'sizes');
  return existsSync(file) ? readFileSync(file, 'utf8').trim().split('\n') : [];
};
/** An stty of which the first call ends last. */
const stty = (): string => {
  const path = join(folder, 'stty');
  const lines = [
    `[ -e ${folder}/first ] || { : > ${folder}/first; sleep 0.3; }`,
    `echo "$*" >> ${folder}/sizes`,
  ];
  writeFileSync(path, ['#!/bin/sh', ...lines, ''].join('\n'), { mode: 0o755 });
  return path;
};

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'rollcall-size-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

describe('a terminal', () => {
  it('has the newest size that was asked for, also when the change before takes longer', async () => {
    const resize = createTerminalSizer(stty(), async () => '/dev/pts/7');
    resize({ width: 100, height: 34 });
    await eventually('the first change has begun', 5_000, async () => existsSync(join(folder, 'first')));
    resize({ width: 50, height: 20 });
    resize({ width: 99, height: 33 });
    await eventually('the last change', 5_000, async () => sizes().length >= 2);
    expect(sizes()).toEqual(['-F /dev/pts/7 rows 34 cols 100', '-F /dev/pts/7 rows 33 cols 99']);
  });

  it('gets the newest size when it has a name', async () => {
    const { promise, resolve } = Promise.withResolvers<string>();
    const resize = createTerminalSizer(stty(), () => promise);
    resize({ width: 100, height: 34 });
    resize({ width: 99, height: 33 });
    resolve('/dev/pts/8');
    await eventually('a change', 5_000, async () => sizes().length >= 1);
    expect(sizes()).toEqual(['-F /dev/pts/8 rows 33 cols 99']);
  });
});
