import { expect, it } from 'vitest';
import { earliest } from '../../../../shared/kube/values/time.ts';

it.each<[readonly (number | undefined)[], number | undefined]>([
  [[], undefined],
  [[undefined, undefined], undefined],
  [[7], 7],
  [[undefined, 7, undefined], 7],
  [[9, 7, 8], 7],
  [[0, undefined, 5], 0],
])('the earliest of %j is %j', (times, expected) => {
  expect(earliest(times)).toBe(expected);
});
