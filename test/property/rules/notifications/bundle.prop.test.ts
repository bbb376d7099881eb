import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  groupedBehind,
  leadOf,
  nextBundle,
  nextSingle,
  type ToldBundle,
  type WaitingEvent,
} from '../../../../shared/rules/notifications/bundle.ts';
import { overflow, withDropped, withoutTold } from '../../../../shared/rules/notifications/overflow.ts';

const NOW = 1_700_000_000_000;

const events = fc
  .array(
    fc.record({
      subject: fc.constantFrom('node/n1', 'node/n2', 'node/n3', 'zone/a', 'site/r'),
      bundle: fc.constantFrom('a|problem', 'a|resolved', 'b|problem', 'info/x'),
      severity: fc.constantFrom(
        'info' as const,
        'resolved' as const,
        'warning' as const,
        'critical' as const,
      ),
      type: fc.constantFrom('NodeLost' as const, 'NodeReturned' as const, 'ZoneStateChanged' as const),
      gapMs: fc.integer({ min: 0, max: 400_000 }),
    }),
    { maxLength: 40 },
  )
  .map((given) => {
    let storedAt = NOW;
    return given.map(({ gapMs, ...rest }, place): WaitingEvent => {
      storedAt += gapMs;
      return { ...rest, position: place + 1, storedAt };
    });
  });

/** Tells everything, bundle after bundle. */
const tellAll = (all: readonly WaitingEvent[], isGrouped: boolean) => {
  const told = new Map<string, ToldBundle>();
  const sent: (readonly WaitingEvent[])[] = [];
  let waiting = all;
  let now = NOW;
  for (;;) {
    const bundle = isGrouped ? nextBundle(waiting, told) : nextSingle(waiting, new Set());
    if (!bundle) return { sent, waiting };
    const lead = leadOf(bundle.events);
    now = Math.max(now, bundle.dueAt);
    if (lead) told.set(bundle.key, { at: now, severity: lead.severity });
    sent.push(bundle.events);
    waiting = waiting.filter((one) => !bundle.events.includes(one));
  }
};

describe.each([true, false])('telling all events, with groups: %s', (isGrouped) => {
  it('tells each exactly once, and the counts add up (J-273, J-274)', () => {
    fc.assert(
      fc.property(events, (all) => {
        const { sent, waiting } = tellAll(all, isGrouped);
        expect(waiting).toEqual([]);
        const positions = sent.flat().map(({ position }) => position);
        expect(positions.toSorted((a, b) => a - b)).toEqual(all.map(({ position }) => position));
        const counted = sent.map((bundle) => {
          const lead = leadOf(bundle);
          return lead ? 1 + groupedBehind(lead, bundle).reduce((sum, { count }) => sum + count, 0) : 0;
        });
        expect(counted.reduce((sum, count) => sum + count, 0)).toBe(all.length);
      }),
    );
  });

  it('tells what happened to a subject in its order (J-273)', () => {
    fc.assert(
      fc.property(events, (all) => {
        const order = tellAll(all, isGrouped).sent.flat();
        for (const [, own] of Map.groupBy(order, ({ subject }) => subject))
          expect(own.map(({ position }) => position)).toEqual(
            own.map(({ position }) => position).toSorted((a, b) => a - b),
          );
      }),
    );
  });
});

describe('an overflow (J-278)', () => {
  const most = fc.integer({ min: 1, max: 30 });
  it('keeps what is being told, drops what is too much, and no newest state while an older one is left', () => {
    fc.assert(
      fc.property(events, most, fc.subarray(['node/n1', 'zone/a']), (all, limit, subjects) => {
        const busy = new Set(subjects);
        const dropped = overflow(all, limit, busy);
        const left = all.filter((one) => !dropped.includes(one));
        expect(dropped.every(({ subject }) => !busy.has(subject))).toBe(true);
        if (all.length <= limit) expect(dropped).toEqual([]);
        else expect(left.filter(({ subject }) => !busy.has(subject)).length).toBeLessThanOrEqual(limit);
        const lasts = new Set(
          all.filter((one) => all.findLast(({ subject }) => subject === one.subject) === one),
        );
        const hasDroppedLast = dropped.some((one) => lasts.has(one));
        if (hasDroppedLast) expect(left.every((one) => lasts.has(one) || busy.has(one.subject))).toBe(true);
      }),
    );
  });

  it('counts add up, whatever is told in between', () => {
    fc.assert(
      fc.property(events, events, (first, second) => {
        const before = withDropped(undefined, first, NOW);
        const both = withDropped(before, second, NOW + 1);
        expect(both.count).toBe(first.length + second.length);
        expect(Object.values(both.byType).reduce((sum, count) => sum + count, 0)).toBe(both.count);
        const left = withoutTold(both, before, NOW + 2);
        expect(left?.count ?? 0).toBe(second.length);
        expect(Object.values(left?.byType ?? {}).reduce((sum, count) => sum + count, 0)).toBe(second.length);
      }),
    );
  });
});
