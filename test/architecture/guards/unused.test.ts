import { expect, it } from 'vitest';
import { unusedExports, unusedFiles } from './unused.ts';

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
