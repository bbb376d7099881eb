import { describe, expect, it } from 'vitest';
import { failuresOf } from '../../runner/failure-summary.ts';

const failed = (fullName: string, ...failureMessages: string[]) => ({
  status: 'failed',
  fullName,
  failureMessages,
});
const reportOf = (...assertionResults: ReturnType<typeof failed>[]) => ({
  testResults: [{ assertionResults }],
});

describe('the summary of failures at the end of a run', () => {
  it('names each test that failed, with its message without colours and empty lines', () => {
    const report = reportOf(
      { ...failed('is fine'), status: 'passed' },
      failed('breaks', 'Error: \u001B[31mred\u001B[39m\n\n    at here'),
    );
    expect(failuresOf(report, 'noise')).toEqual(['breaks\n  Error: red\n      at here']);
  });

  it('is the end of the output where the report has no tests, or there is none', () => {
    expect(failuresOf({}, 'one\ntwo\n')).toEqual(['one\n  two']);
    expect(failuresOf(undefined, '')).toEqual(['']);
  });

  it('is short, whatever failed', () => {
    const lines = Array.from({ length: 100 }, (_, index) => `${index}${'x'.repeat(1000)}`).join('\n');
    const summary = failuresOf(reportOf(...Array.from({ length: 100 }, () => failed('breaks', lines))), '');
    expect(summary).toHaveLength(10);
    expect(summary.join('\n').length).toBeLessThan(10 * 41 * 310);
    expect(failuresOf(undefined, lines).join().split('\n').at(-1)).toMatch(/^ {2}99x/);
  });
});
