import { expect, it } from 'vitest';
import { isTooDeep, MAX_PATCH_DEPTH } from '../../../../shared/kube/patch/patch-depth.ts';

const nested = (levels: number): unknown =>
  JSON.parse(`${'{"a":['.repeat(levels / 2)}${']}'.repeat(levels / 2)}`);

it.each([
  [2, false],
  [MAX_PATCH_DEPTH, false],
  [MAX_PATCH_DEPTH + 2, true],
])('whether a patch of %i levels is too deep: %s', (levels, expected) => {
  expect(isTooDeep(nested(levels))).toBe(expected);
});
