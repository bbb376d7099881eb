import { describe, expect, it } from 'vitest';
import { cyclesOf, mutualPairs } from '../import-graph.ts';
import { areApart, folderGraph, largeFolders } from './folders.ts';

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
