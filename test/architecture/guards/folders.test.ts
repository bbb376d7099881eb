import { describe, expect, it } from 'vitest';
import { cyclesOf, mutualPairs } from '../import-graph.ts';
import { areApart, folderGraph, largeFolders } from './folders.ts';
import { mergeCandidates } from './merge-candidates.ts';

/** Each line is a file and what it imports. */
const planted = (...lines: readonly string[]) =>
  folderGraph(
    new Map(
      lines.map((line): [string, readonly string[]] => {
        const [path = '', ...targets] = line.split(' ');
        return [path, targets];
      }),
    ),
  );

describe('the graph of folders', () => {
  it.each([
    ['two files of a folder are one node', ['a/x.ts a/y.ts', 'a/y.ts a/x.ts'], 0],
    [
      'two folders, of which no file is in a circle',
      ['a/x.ts b/x.ts', 'b/x.ts', 'b/y.ts a/y.ts', 'a/y.ts'],
      1,
    ],
    ['a circle by way of a third folder', ['a/x.ts b/x.ts', 'b/x.ts c/x.ts', 'c/x.ts a/y.ts', 'a/y.ts'], 1],
    [
      'a folder and its sub-folder are two nodes',
      ['a/x.ts a/b/x.ts', 'a/b/x.ts', 'a/b/y.ts a/y.ts', 'a/y.ts'],
      1,
    ],
    ['two separate circles', ['a/x.ts b/x.ts', 'b/x.ts a/x.ts', 'c/x.ts d/x.ts', 'd/x.ts c/x.ts'], 2],
    ['one direction is no circle', ['a/x.ts b/x.ts', 'a/y.ts b/x.ts', 'b/x.ts'], 0],
    ['packages are no nodes', ['a/x.ts zod @b/x', 'b/x.ts a/x.ts'], 0],
  ])('%s', (_what, lines, circles) => {
    expect(cyclesOf(planted(...lines))).toHaveLength(circles);
  });

  it('leaves out imports of a controller’s files that its own sub-folders use', () => {
    const back = (target: string) => [
      'lambdas/x/z.ts lambdas/x/pods/y.ts',
      `lambdas/x/pods/y.ts ${target}`,
      target,
    ];
    expect(mutualPairs(planted(...back('lambdas/x/deps.ts')))).toEqual([]);
    expect(mutualPairs(planted(...back('lambdas/x/other.ts')))).toEqual([['lambdas/x', 'lambdas/x/pods']]);
    const elsewhere = [
      'lambdas/x/z.ts lambdas/y/z.ts',
      'lambdas/y/z.ts lambdas/x/deps.ts',
      'lambdas/x/deps.ts',
    ];
    expect(mutualPairs(planted(...elsewhere))).toEqual([['lambdas/x', 'lambdas/y']]);
  });

  it('knows pairs of which neither folder contains the other', () => {
    expect(areApart(['a', 'a/b'])).toBe(false);
    expect(areApart(['a', 'ab'])).toBe(true);
    expect(areApart(['a/b', 'a/c'])).toBe(true);
  });
});

it('folders with more than 16 files are large, except migrations', () => {
  const filesIn = (folder: string, count: number) =>
    Array.from({ length: count }, (_, index) => `${folder}/${index}.ts`);
  const files = [...filesIn('a', 16), ...filesIn('a/b', 17), ...filesIn('a/migrations', 20)];
  expect(largeFolders(files)).toEqual(['a/b (17)']);
});

describe('files to merge', () => {
  const lines = (count: number, text = '') => text + '\n'.repeat(count);
  const found = (
    files: Readonly<Record<string, readonly [lines: number, ...targets: string[]]>>,
    text = '',
  ) =>
    mergeCandidates(
      new Map(Object.entries(files).map(([path, [, ...targets]]) => [path, targets])),
      new Map(Object.entries(files).map(([path, [count]]) => [path, lines(count, text)])),
    );
  const START = {
    'z/start.ts': [1, 'a/big.ts', 'a/work.ts', 'b/big.ts', 'a/big.js', 'a/migrations/x.ts'],
  } as const;

  it.each([
    [
      'a small file with one importer',
      { 'a/big.ts': [139, 'a/x.ts'], 'a/x.ts': [60] },
      ['a/x.ts -> a/big.ts'],
    ],
    ['a file of 61 lines', { 'a/big.ts': [100, 'a/x.ts'], 'a/x.ts': [61] }, []],
    ['an importer that would have 200 lines', { 'a/big.ts': [140, 'a/x.ts'], 'a/x.ts': [60] }, []],
    ['two importers', { 'a/big.ts': [9, 'a/x.ts'], 'a/work.ts': [9, 'a/x.ts'], 'a/x.ts': [9] }, []],
    ['an importer in another folder', { 'b/big.ts': [9, 'a/x.ts'], 'a/x.ts': [9] }, []],
    ['an importer in another language', { 'a/big.js': [9, 'a/x.ts'], 'a/x.ts': [9] }, []],
    ['an importer that is a border of a bundle', { 'a/work.ts': [9, 'a/x.ts'], 'a/x.ts': [9] }, []],
    ['a border of a bundle', { 'a/big.ts': [9, 'a/env.ts'], 'a/env.ts': [9] }, []],
    ['a migration', { 'a/migrations/x.ts': [9, 'a/migrations/y.ts'], 'a/migrations/y.ts': [9] }, []],
    ['a file that a program imports', { 'a/program.ts': [9, 'a/x.ts'], 'a/x.ts': [9] }, []],
  ] as const)('%s', (_what, files, candidates) => {
    expect(found({ ...START, ...files })).toEqual(candidates);
  });

  it.each(["await import('./x.ts');", "import * as x from './x.ts';"])(
    'leaves out what the importer loads as a whole: %s',
    (text) => {
      const files = { ...START, 'a/big.ts': [9, 'a/x.ts'], 'a/x.ts': [9] } as const;
      expect(found(files)).toEqual(['a/x.ts -> a/big.ts']);
      expect(found(files, text)).toEqual([]);
    },
  );
});
