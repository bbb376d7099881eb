import { describe, expect, it } from 'vitest';
import { nextVersion } from '../../../release/plan.ts';

describe('the next version', () => {
  it.each([
    ['0.1.0', 'patch', '0.1.1'],
    ['0.1.9', 'patch', '0.1.10'],
    ['0.1.3', 'minor', '0.2.0'],
    ['0.9.3', 'minor', '0.10.0'],
    ['1.2.3', 'major', '2.0.0'],
    ['0.1.0', '0.1.1', '0.1.1'],
    ['0.9.9', '0.10.0', '0.10.0'],
    ['0.9.9', '1.0.0', '1.0.0'],
    ['0.1.0', '0.3.7', '0.3.7'],
  ])('after %s, for %s, is %s', (current, wanted, version) => {
    expect(nextVersion(current, wanted)).toBe(version);
  });

  it.each(['0.2.0', '0.1.9', '0.0.9', '0.1.10'])('after 0.2.0 is not %s: it does not rise', (wanted) => {
    expect(() => nextVersion('0.2.0', wanted)).toThrow(`${wanted} does not lie above 0.2.0`);
  });

  it.each(['', 'next', 'v0.3.0', '0.3', '0.3.0.1', '0.3.0-rc.1', '0.03.0', 'Minor', '0.3.0\n'])(
    'is not %j, which is no version',
    (wanted) => {
      expect(() => nextVersion('0.2.0', wanted)).toThrow('give a version such as 0.2.0, or one of major');
    },
  );
});
