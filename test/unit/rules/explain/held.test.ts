import { describe, expect, it } from 'vitest';
import { DEFAULT_STOPS } from '../../../../shared/kube/types/hold.ts';
import type { Answer } from '../../../../shared/rules/explain/explanation.ts';
import { withHolds } from '../../../../shared/rules/explain/held.ts';
import { targetOf } from '../../../../shared/rules/holds/held-by.ts';
import type { ActiveHold, HoldBook } from '../../../../shared/rules/holds/hold-book.ts';

const NOW = 1_800_000_000_000;
const TARGET = targetOf({ metadata: { labels: { pool: 'gpu' } } });
const HOLD: ActiveHold = {
  uid: 'u',
  name: 'incident',
  by: 'alice',
  reason: 'switch',
  stops: DEFAULT_STOPS,
  from: NOW - 60_000,
};
const bookOf = (...active: readonly ActiveHold[]): HoldBook => ({ v: 1, epoch: 1, active, past: [] });

const TAINT: Answer = {
  question: 'taint',
  verdict: 'WaitsForTaint',
  because: [],
  next: { verdict: 'Tainted', at: NOW + 10_000 },
  wouldChange: ['Heartbeat'],
};
const HEALTH: Answer = {
  question: 'health',
  verdict: 'Ready',
  because: [],
  next: { verdict: 'Unknown', at: NOW + 40_000 },
  wouldChange: ['Heartbeat'],
};

describe('withHolds', () => {
  it('says first which Hold stops what, and takes back the steps that it stops (V-102)', () => {
    const [held, health, taint] = withHolds([HEALTH, TAINT], bookOf(HOLD), TARGET, NOW);
    expect(held).toEqual({
      question: 'hold',
      verdict: 'HeldByHold',
      since: NOW - 60_000,
      because: [
        {
          fact: 'Hold',
          at: NOW - 60_000,
          values: { name: 'incident', by: 'alice', reason: 'switch', stops: DEFAULT_STOPS.join(', ') },
          source: 'the book of holds',
          rule: 'V-102',
        },
      ],
      wouldChange: ['HoldEnds'],
    });
    expect(health).toBe(HEALTH);
    expect(taint).toEqual({
      question: 'taint',
      verdict: 'WaitsForTaint',
      because: [],
      wouldChange: ['HoldEnds', 'Heartbeat'],
    });
  });

  it('says when the Hold ends by itself (V-104)', () => {
    const [held] = withHolds([TAINT], bookOf({ ...HOLD, until: NOW + 5_000 }), TARGET, NOW);
    expect(held?.because[1]).toMatchObject({ fact: 'HoldUntil', at: NOW + 5_000 });
  });

  it('keeps the step that no Hold stops (V-102)', () => {
    const [, taint] = withHolds([TAINT], bookOf({ ...HOLD, stops: ['Drains'] }), TARGET, NOW);
    expect(taint).toBe(TAINT);
  });

  it.each([
    ['there is none', bookOf()],
    ['it is about other nodes', bookOf({ ...HOLD, nodeSelector: { matchLabels: { pool: 'cpu' } } })],
    ['it is over', bookOf({ ...HOLD, until: NOW })],
  ])('changes nothing if %s (V-102)', (_, book) => {
    const answers = [HEALTH, TAINT];
    expect(withHolds(answers, book, TARGET, NOW)).toBe(answers);
  });
});
