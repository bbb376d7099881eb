import { expect, it } from 'vitest';
import { filesOfRoom } from './closures.ts';
import { FUNCTIONS } from './source.ts';
import { unusedExports, unusedFiles } from './unused.ts';
import { wordsOf } from './words.ts';

const GRAPH = new Map([
  ['a/start.ts', ['a/b.ts', 'zod', 'room/gone.ts']],
  ['a/b.ts', ['room/one.ts', 'a/start.ts']],
  ['room/one.ts', ['room/two.ts', 'roomy/x.ts']],
  ['room/two.ts', ['room/one.ts']],
  ['room/unreached.ts', ['a/start.ts']],
  ['roomy/x.ts', []],
]);

it.each([
  ['a/start.ts', ['room/one.ts', 'room/two.ts']],
  ['room/two.ts', ['room/two.ts', 'room/one.ts']],
  ['roomy/x.ts', []],
])('%s imports these files of the room, directly or not', (start, files) => {
  expect(filesOfRoom(start, 'room/', GRAPH)).toEqual(files);
});

it('the functions are found', () => {
  expect(FUNCTIONS.get('change-router')).toBe('lambdas/change-router/handler.ts');
  expect(FUNCTIONS.get('group')).toBe('lambdas/group/group-handler.ts');
});

const REPORT = {
  issues: [
    { file: 'a.ts', files: [{ name: 'a.ts' }], exports: [], types: [] },
    { file: 'b.ts', files: [], exports: [{ name: 'one', line: 3 }], types: [{ name: 'Two', line: 9 }] },
    { file: 'c.ts', files: [], exports: [], types: [] },
  ],
};

it('files that nothing reaches and exports that nothing uses are read from the report', () => {
  expect(unusedFiles(REPORT)).toEqual(['a.ts']);
  expect(unusedExports(REPORT)).toEqual(['b.ts:3 one', 'b.ts:9 Two']);
});

it.each([
  ['', 0],
  ['# A title\n\nTwo words, `code`.\n', 6],
  ['| a | b |\n', 5],
])('the words of %j are %i', (text, count) => {
  expect(wordsOf(text)).toHaveLength(count);
});
