import { expect, it } from 'vitest';
import { goDurationText, parseGoDuration } from '../../../../shared/kube/text/go-duration.ts';

/** More rows: test/conformance/agent/duration-parse.jsonl.gz. */
it.each([
  ['1h15m30.918s', 4_530_918_000_000n, '1h15m30.918s'],
  ['-.5h', -1_800_000_000_000n, '-30m0s'],
  ['0', 0n, '0s'],
  ['-9223372036854775808ns', -(2n ** 63n), '-2562047h47m16.854775808s'],
  ['0.9223372036854775809s', 922_337_203n, '922.337203ms'],
])('reads the duration %s', (text, nanoseconds, written) => {
  expect(parseGoDuration(text)).toBe(nanoseconds);
  expect(goDurationText(nanoseconds)).toBe(written);
});

it.each([
  ['', 'time: invalid duration ""'],
  ['1', 'time: missing unit in duration "1"'],
  ['1µm', String.raw`time: unknown unit "\xc2\xb5m" in duration "1\xc2\xb5m"`],
  ['9223372036854775808ns', 'time: invalid duration "9223372036854775808ns"'],
])('refuses the duration %j', (text, error) => {
  expect(parseGoDuration(text)).toEqual({ error });
});
