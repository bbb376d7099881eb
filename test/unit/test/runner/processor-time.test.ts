import { execFileSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { secondsIn, secondsOfTimes } from '../../../runner/processor-time.ts';

describe('processor time', () => {
  it.each([
    ['dash', '0m0.010000s 0m0.020000s\n1m2.500000s 0m0.250000s\n', 62.75],
    ['bash', '0m0.010s 0m0.020s\n12m0.000s 0m0.250s\n', 720.25],
    ['a shell that was killed', '', 0],
  ])('of the children of a shell, as %s prints it', (_shell, printed, seconds) => {
    expect(secondsOfTimes(printed)).toBe(seconds);
  });

  it('of the children of the shell of this machine', () => {
    const work = 'i=0; while [ $i -lt 300000 ]; do i=$((i+1)); done';
    const printed = execFileSync('sh', ['-c', `sh -c '${work}'; times`], { encoding: 'utf8' });
    expect(secondsOfTimes(printed)).toBeGreaterThan(0);
  });

  it('of a process and its children, also if its name has spaces and brackets', () => {
    const stat = '12 (a (b) c) S 1 12 12 0 -1 4194304 100 200 0 0 150 50 25 75 20 0 1 0 100 200 300';
    expect(secondsIn(stat)).toBe(3);
  });

  it('of a process that is gone is 0', () => {
    expect(secondsIn('')).toBe(0);
  });
});
