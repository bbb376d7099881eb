import { execFileSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { sizeFault } from '../../../../../agent/rules/runtime/program-size.ts';

const x = (bytes: number): string => 'x'.repeat(bytes);
const many = (count: number): Record<string, string> =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`A${index}`, x(100_000)]));

/** Whether this machine starts a program with these. */
const starts = (environment: Readonly<Record<string, string>>): boolean => {
  try {
    execFileSync('/bin/true', [], { env: environment });
    return true;
  } catch {
    return false;
  }
};

describe('what the kernel gives to a program', () => {
  it.each([
    ['nothing', {}, undefined],
    ['a variable that is just short enough', { A: x(131_069) }, undefined],
    ['a variable that is too long', { A: x(131_070) }, /the environment variable A has 131072 bytes/],
    ['much', many(20), undefined],
    ['too much', many(30), /arguments and environment have 3000\d\d\d bytes/],
  ])('%s', (_, environment, fault) => {
    const found = sizeFault(['/bin/true'], environment);
    expect(found === undefined).toBe(fault === undefined);
    if (fault) expect(found).toMatch(fault);
    expect(starts(environment)).toBe(fault === undefined);
  });

  it('an argument that is too long', () => {
    expect(sizeFault(['sh', '-c', x(200_000)], {})).toMatch('argument 2 has 200000 bytes');
  });
});
