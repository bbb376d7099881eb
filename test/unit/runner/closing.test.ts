import { describe, expect, it } from 'vitest';
import { closingLines, type PartResult, totalsOf } from '../../runner/parts.ts';
import { type FileReport, unsteadyIn } from '../../runner/second-try.ts';

const result = (counts: Partial<PartResult>): PartResult => ({
  part: { script: 'test:host' },
  passed: 0,
  failed: 0,
  skipped: 0,
  unsteady: 0,
  seconds: 1,
  processorSeconds: 1,
  output: '',
  failures: [],
  ...counts,
});

const linesFor = (results: readonly PartResult[], isStrict: boolean): readonly string[] =>
  closingLines(totalsOf(results, isStrict), isStrict);

describe('the last lines of npm test', () => {
  const steady = [result({ passed: 7 }), result({ passed: 3, failed: 1, skipped: 2 })];
  const unsteady = [result({ passed: 7, unsteady: 2 }), result({ passed: 3, unsteady: 1, skipped: 2 })];

  it.each([
    ['one part that passed', [result({ passed: 7 })], false, ['7 passed, 0 failed']],
    ['failed and skipped tests', steady, false, ['10 passed, 1 failed, 2 skipped']],
    ['failed and skipped tests, with CI', steady, true, ['10 passed, 1 failed, 2 skipped']],
    ['unsteady files', unsteady, false, ['3 unsteady', '10 passed, 0 failed, 2 skipped']],
    [
      'unsteady files, with CI',
      unsteady,
      true,
      ['3 unsteady, counted as failed', '7 passed, 3 failed, 2 skipped'],
    ],
  ])('of %s', (_what, results, isStrict, lines) => {
    expect(linesFor(results, isStrict)).toEqual(lines);
  });
});

describe('unsteady is', () => {
  const file = (name: string, status: FileReport['status']): FileReport => ({
    name,
    status,
    assertionResults: [],
  });
  const passed = { passed: 3, failed: 0, skipped: 0 };
  const failed = { passed: 3, failed: 1, skipped: 0 };
  const part = { script: 'test:host', files: ['a.test.ts', 'b.test.ts'] };
  const reports = [file('a.test.ts', 'passed'), file('b.test.ts', 'passed')];

  it('each file that passed on the second try, even if another file failed twice', () => {
    expect(unsteadyIn(part, passed, reports)).toEqual(['a.test.ts', 'b.test.ts']);
    const mixed = [file('a.test.ts', 'passed'), file('b.test.ts', 'failed')];
    expect(unsteadyIn(part, failed, mixed)).toEqual(['a.test.ts']);
  });

  it('a whole part that passed on the second try', () => {
    expect(unsteadyIn({ script: 'test:readme' }, passed, reports)).toEqual(['all of it']);
    expect(unsteadyIn({ script: 'test:readme' }, failed, reports)).toEqual([]);
  });
});
