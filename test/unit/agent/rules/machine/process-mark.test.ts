import { expect, it } from 'vitest';
import { markIn } from '../../../../../agent/rules/machine/process-mark.ts';

it.each([
  ['11 101\n', { pid: 11, startTime: '101' }],
  ['11', undefined],
  ['', undefined],
])('a mark is whole, or none: %j', (text, mark) => {
  expect(markIn(text)).toEqual(mark);
});
