import { describe, expect, it } from 'vitest';
import {
  afterReport,
  type ShutdownFacts,
  shutdownAt,
  shutdownFacts,
} from '../../../../shared/rules/shutdown/shutdown-facts.ts';
import {
  hasShutdownEnded,
  type ShutdownReport,
  shutdownReportOf,
  withShutdownEnded,
  withShutdownReport,
} from '../../../../shared/rules/shutdown/shutdown-report.ts';
import { aNode } from '../../../support/objects/domain-objects.ts';

const NOW = 1_000_000_000;
const SECOND = 1_000;
const HOUR = 3_600 * SECOND;

const report = (more: Partial<ShutdownReport> = {}): ShutdownReport => ({
  id: 's1',
  phase: 1,
  phases: 2,
  phaseSeconds: 20,
  remainingSeconds: 30,
  totalSeconds: 30,
  ...more,
});
const facts = (more: Partial<ShutdownFacts> = {}): ShutdownFacts => ({
  id: 's1',
  phase: 1,
  phases: 2,
  beganAt: NOW,
  phaseEndsAt: NOW + 20 * SECOND,
  endsAt: NOW + 30 * SECOND,
  latestAt: NOW + 30 * SECOND,
  ...more,
});

describe('the deadline after a report (J-131)', () => {
  it.each<readonly [string, ShutdownFacts | undefined, ShutdownReport, number, Partial<ShutdownFacts>]>([
    ['counts from its arrival', undefined, report(), 0, facts()],
    [
      'is within the configured total',
      undefined,
      report({ remainingSeconds: 90 }),
      0,
      { endsAt: NOW + 30 * SECOND },
    ],
    [
      'is within an hour',
      undefined,
      report({ remainingSeconds: 9_000, totalSeconds: 9_000 }),
      0,
      { endsAt: NOW + HOUR, latestAt: NOW + HOUR },
    ],
    [
      'comes earlier with a later phase',
      facts(),
      report({ phase: 2, phaseSeconds: 10, remainingSeconds: 10 }),
      5 * SECOND,
      { beganAt: NOW, phaseEndsAt: NOW + 15 * SECOND, endsAt: NOW + 15 * SECOND },
    ],
    [
      'never comes later, not even by a larger total',
      facts(),
      report({ phase: 2, remainingSeconds: 300, totalSeconds: 300 }),
      25 * SECOND,
      { endsAt: NOW + 30 * SECOND, latestAt: NOW + 30 * SECOND, phaseEndsAt: NOW + 30 * SECOND },
    ],
    [
      'counts anew for another shutdown',
      facts(),
      report({ id: 's2' }),
      25 * SECOND,
      { beganAt: NOW + 25 * SECOND, endsAt: NOW + 55 * SECOND },
    ],
    [
      'counts anew if the clock was set back',
      facts({ beganAt: NOW + HOUR, endsAt: NOW + HOUR + 30 * SECOND, latestAt: NOW + HOUR + 30 * SECOND }),
      report(),
      0,
      facts(),
    ],
  ])('%s', (_, before, given, laterMs, expected) => {
    expect(afterReport(before, given, NOW + laterMs)).toMatchObject(expected);
  });
});

describe('a shutdown that goes on (J-132)', () => {
  it.each([
    ['until its deadline', facts(), 29_999, true],
    ['not from its deadline on', facts(), 30_000, false],
    ['not if the clock was set forward by an hour', facts(), HOUR, false],
    ['not if the clock was set back by an hour', facts(), -HOUR, false],
    ['also for a clock that is half a second behind', facts(), -500, true],
    ['not without a report', undefined, 0, false],
  ] as const)('%s', (_, shutdown, laterMs, expected) => {
    expect(shutdownAt(shutdown && { shutdown }, NOW + laterMs) !== undefined).toBe(expected);
  });

  it('keeps its instants in writes that do not report a phase', () => {
    const node = withShutdownReport(aNode({}), report());
    const before = { node, facts: { shutdown: facts() } };
    expect(shutdownFacts({ ...node, spec: { unschedulable: true } }, before, NOW + 9_000)).toBe(
      before.facts.shutdown,
    );
  });
});

describe('the report of a node (J-130)', () => {
  it('is that of the furthest phase, whatever arrives late', () => {
    const second = withShutdownReport(aNode({}), report({ phase: 2 }));
    expect(withShutdownReport(second, report({ phase: 1 }))).toBe(second);
    expect(shutdownReportOf(withShutdownReport(second, report({ phase: 1, id: 's2' })))).toMatchObject({
      id: 's2',
      phase: 1,
    });
  });

  it('ends once, and its id stays known', () => {
    const ended = withShutdownEnded(withShutdownReport(aNode({}), report()));
    expect(shutdownReportOf(ended)).toBeUndefined();
    expect(withShutdownEnded(ended)).toBe(ended);
    expect([hasShutdownEnded(ended, 's1'), hasShutdownEnded(ended, 's2')]).toEqual([true, false]);
    expect(shutdownFacts(ended, undefined, NOW)).toBeUndefined();
  });
});
