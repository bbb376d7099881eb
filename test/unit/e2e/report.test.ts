import { describe, expect, it } from 'vitest';
import { outcomeOf, readOutcome } from '../../e2e/report.ts';

const spec = (State: string, more: object = {}) => ({
  State,
  LeafNodeType: 'It',
  LeafNodeText: 'leaf',
  ContainerHierarchyTexts: ['a', 'b'],
  ...more,
});

describe('the report of a run', () => {
  it('counts what passed, names what failed, and leaves out what did not run', () => {
    const SpecReports = [
      spec('passed'),
      spec('passed', { LeafNodeType: 'BeforeSuite' }),
      spec('skipped'),
      spec('pending'),
      spec('failed', { Failure: { Message: 'why' } }),
      spec('timedout'),
    ];
    expect(outcomeOf(JSON.stringify([{ SpecReports }, { SpecReports: null }]))).toEqual({
      passed: 1,
      failures: ['a b leaf: why', 'a b leaf: timedout'],
    });
  });

  it('that is missing is a failure', () => {
    const { passed, failures } = readOutcome('/nowhere/report.json', 'focus');
    expect([passed, failures]).toEqual([0, [expect.stringContaining('focus: no report')]]);
  });
});
