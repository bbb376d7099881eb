import { describe, expect, it } from 'vitest';
import { outcomeOf, readOutcome, staleSkips } from '../../../e2e/report.ts';

const spec = (LeafNodeText: string, State: string, more: object = {}) => ({
  State,
  LeafNodeType: 'It',
  LeafNodeText,
  ContainerHierarchyTexts: ['[sig-apps]', 'Deployment'],
  ...more,
});

const reportOf = (...SpecReports: readonly object[]): string =>
  JSON.stringify([{ SpecReports }, { SpecReports: null }]);

const SKIPS = [{ pattern: 'by (the )?rc', reason: 'not served' }];

describe('the report of a run', () => {
  it('names what passed, and what failed with the reason', () => {
    const report = reportOf(
      spec('rolls', 'passed'),
      spec('before', 'passed', { LeafNodeType: 'BeforeSuite' }),
      spec('after', 'failed', { LeafNodeType: 'AfterSuite', Failure: { Message: 'no end' } }),
      spec('scales', 'failed', { Failure: { Message: 'why' } }),
      spec('ends', 'timedout'),
    );
    expect(outcomeOf(report, 'Deployment', []).verdicts).toEqual([
      { name: '[sig-apps] Deployment rolls' },
      { name: '[sig-apps] Deployment after', problem: 'no end' },
      { name: '[sig-apps] Deployment scales', problem: 'why' },
      { name: '[sig-apps] Deployment ends', problem: 'timedout' },
    ]);
  });

  it('names what was left out with the reason, unless nobody asked for it', () => {
    const report = reportOf(
      spec('by rc', 'skipped'),
      spec('by rc', 'skipped', { ContainerHierarchyTexts: ['[sig-node]'] }),
      spec('of Windows', 'skipped', { Failure: { Message: 'only for Windows' } }),
      spec('some day', 'pending'),
    );
    expect(outcomeOf(report, 'sig-apps\\] Deployment', SKIPS).leftOut).toEqual([
      { name: '[sig-apps] Deployment by rc', ...SKIPS[0] },
      { name: '[sig-apps] Deployment of Windows', reason: 'only for Windows' },
      { name: '[sig-apps] Deployment some day', reason: 'pending' },
    ]);
  });

  it('that is missing, or tells of no test that ran, is a failure', () => {
    const problem = 'no test of such a name has run';
    expect(outcomeOf(reportOf(spec('by rc', 'skipped')), 'sig-node', SKIPS).verdicts).toEqual([
      { name: 'sig-node', problem },
    ]);
    const missing = readOutcome('/nowhere/report.json', 'focus', []);
    expect(missing.verdicts).toEqual([{ name: 'focus', problem: expect.stringContaining('no report') }]);
  });
});

describe('an expression that leaves out nothing', () => {
  it('is a failure', () => {
    const leftOut = [{ name: 'by rc', ...SKIPS[0], reason: 'not served' }];
    expect(staleSkips(SKIPS, [{ verdicts: [], leftOut }])).toEqual([]);
    expect(staleSkips(SKIPS, [{ verdicts: [], leftOut: [] }])).toEqual([
      { name: 'skip by (the )?rc', problem: 'leaves no test out' },
    ]);
  });
});
