import { describe, expect, it } from 'vitest';
import { evictionAfterHolds } from '../../../../shared/rules/holds/eviction-after-holds.ts';
import { targetOf } from '../../../../shared/rules/holds/held-by.ts';
import { heldStart } from '../../../../shared/rules/holds/held-start.ts';
import type { ActiveHold, HoldBook, PastHold } from '../../../../shared/rules/holds/hold-book.ts';
import { taintAfterHolds } from '../../../../shared/rules/holds/spread-after-hold.ts';

const NODE = { uid: 'n1', target: targetOf({ metadata: { labels: {} } }) };
const STOPS = ['Tolerations', 'Drains', 'NoExecute'] as const;
const active: ActiveHold = { uid: 'a', name: 'incident', stops: STOPS, from: 1_000 };
const past: PastHold = { uid: 'p', name: 'former', stops: STOPS, from: 1_000, to: 5_000, spreadMs: 0 };
const book = (parts: Partial<HoldBook>): HoldBook => ({ v: 1, epoch: 1, active: [], past: [], ...parts });

describe('evictionAfterHolds', () => {
  const timed = { action: 'evict', dueAt: 2_000, start: 500, isTimed: true } as const;
  const atOnce = { action: 'evict', dueAt: 9_000, start: 2_000, isTimed: false } as const;

  it('keeps a pod while a hold covers its node, without an end or until it (V-110)', () => {
    const held = { action: 'held', until: Number.POSITIVE_INFINITY };
    expect(evictionAfterHolds(timed, book({ active: [active] }), NODE, 9_000)).toEqual(held);
    expect(evictionAfterHolds(atOnce, book({ active: [active] }), NODE, 9_000)).toEqual(held);
    const until = { ...active, until: 20_000 };
    expect(evictionAfterHolds(atOnce, book({ active: [until] }), NODE, 9_000)).toEqual({
      action: 'held',
      until: 20_000,
    });
  });

  it('counts the time of a timer that is over (V-110)', () => {
    // 500 ms before the hold, 1,000 ms after it.
    expect(evictionAfterHolds(timed, book({ past: [past] }), NODE, 5_999)).toEqual({
      action: 'held',
      until: 6_000,
    });
    expect(evictionAfterHolds(timed, book({ past: [past] }), NODE, 6_000)).toEqual({
      ...timed,
      dueAt: 6_000,
    });
  });

  it('spreads pods that tolerate nothing and have waited (V-111)', () => {
    const spread = { ...past, spreadMs: 600_000 };
    const { until = 0 } = evictionAfterHolds(atOnce, book({ past: [spread] }), NODE, 5_000) as {
      until?: number;
    };
    expect(until).toBeGreaterThan(5_000);
    expect(until).toBeLessThan(605_000);
    const later = { ...atOnce, start: 5_000 };
    expect(evictionAfterHolds(later, book({ past: [spread] }), NODE, 9_000)).toBe(later);
  });

  it('leaves every other decision, and those without holds, as they are', () => {
    const none = { action: 'none' } as const;
    expect(evictionAfterHolds(none, book({ active: [active] }), NODE, 9_000)).toBe(none);
    expect(evictionAfterHolds(atOnce, book({}), NODE, 9_000)).toBe(atOnce);
  });
});

describe('heldStart', () => {
  it('names the hold, who made it and why (V-111)', () => {
    const hold = { ...active, by: 'alice', reason: 'switch upgrade' };
    expect(heldStart(book({ active: [hold] }), 'Drains', NODE, 0, 2_000)).toEqual({
      until: Number.POSITIVE_INFINITY,
      why: 'held by Hold incident (alice): switch upgrade',
    });
    expect(heldStart(book({ active: [active] }), 'Fencing', NODE, 0, 2_000)).toBeUndefined();
  });

  it('says until when what has waited for a hold waits still (V-111)', () => {
    const ended = book({ past: [{ ...past, spreadMs: 600_000 }] });
    expect(heldStart(ended, 'Drains', NODE, 2_000, 5_000)?.until).toBeGreaterThan(5_000);
    expect(heldStart(ended, 'Drains', NODE, 2_000, 700_000)).toBeUndefined();
    expect(heldStart(ended, 'Drains', NODE, 6_000, 6_000)).toBeUndefined();
  });
});

describe('taintAfterHolds', () => {
  it('comes one interval after the last hold that stopped taints of the node (V-112)', () => {
    const other = { ...past, uid: 'q', to: 7_000, stops: ['Drains'] as const };
    expect(taintAfterHolds(book({ past: [past, other] }), NODE.target, 10_000)).toBe(15_000);
    expect(taintAfterHolds(book({}), NODE.target, 10_000)).toBe(Number.NEGATIVE_INFINITY);
  });
});
