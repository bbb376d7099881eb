import { describe, expect, it } from 'vitest';
import { DEFAULT_STOPS, type Hold, type HoldSpec } from '../../../../shared/kube/types/hold.ts';
import { toTime } from '../../../../shared/kube/values/time.ts';
import { type HoldBook, NO_HOLDS, nextBook } from '../../../../shared/rules/holds/hold-book.ts';

const NOW = 1_800_000_000_000;
const HOUR = 3_600_000;
const SPREAD = 60_000;

const hold = (name: string, spec: HoldSpec = {}, metadata: object = {}): Hold => ({
  apiVersion: 'rollcall.dev/v1',
  kind: 'Hold',
  metadata: { name, uid: `uid-${name}`, ...metadata },
  spec,
  status: { by: 'alice' },
});

const bookOf = (...holds: readonly Hold[]): HoldBook => nextBook(NO_HOLDS, holds, NOW, SPREAD);

describe('nextBook', () => {
  it('enters a hold with its scope, and what stops by default (V-101)', () => {
    const spec = { zones: ['b'], nodeSelector: { matchLabels: { pool: 'gpu' } }, reason: 'switch' };
    expect(bookOf(hold('a', spec))).toEqual({
      v: 1,
      epoch: 1,
      active: [{ ...spec, uid: 'uid-a', name: 'a', by: 'alice', stops: DEFAULT_STOPS, from: NOW }],
      past: [],
    });
  });

  it('does not stop what people do through the eviction subresource unless told so (V-101)', () => {
    expect(bookOf(hold('a')).active[0]?.stops).not.toContain('ClientEvictions');
    expect(bookOf(hold('a', { stops: ['ClientEvictions'] })).active[0]?.stops).toEqual(['ClientEvictions']);
  });

  it('is the same object, of the same epoch, if nothing changes (V-104)', () => {
    const book = bookOf(hold('a'), hold('b'));
    expect(nextBook(book, [hold('b'), hold('a')], NOW + HOUR, SPREAD)).toBe(book);
    expect(nextBook(book, [hold('b'), hold('a')], NOW + HOUR)).toBe(book);
  });

  it('ends a hold whose object is gone or being deleted, now (V-104)', () => {
    const book = bookOf(hold('a'));
    const deleted = hold('a', {}, { deletionTimestamp: toTime(NOW) });
    for (const holds of [[], [deleted]]) {
      const { epoch, active, past } = nextBook(book, holds, NOW + HOUR, SPREAD);
      expect({ epoch, active }).toEqual({ epoch: 2, active: [] });
      expect(past).toMatchObject([{ name: 'a', from: NOW, to: NOW + HOUR, spreadMs: 60_000 }]);
    }
  });

  it('ends no hold without a spread: an error is always on the side of holding (V-104)', () => {
    const book = bookOf(hold('a'));
    expect(nextBook(book, [], NOW + HOUR)).toBe(book);
    const next = nextBook(book, [hold('b')], NOW + HOUR);
    expect(next.active.map(({ name }) => name)).toEqual(['a', 'b']);
    expect(nextBook(next, [hold('b')], NOW + HOUR)).toBe(next);
  });

  it('ends a hold at its `until`, also if that was found later (V-104)', () => {
    const until = { until: toTime(NOW + HOUR) };
    const next = nextBook(bookOf(hold('a', until)), [hold('a', until)], NOW + 2 * HOUR, SPREAD);
    expect(next).toMatchObject({ epoch: 2, active: [], past: [{ to: NOW + HOUR }] });
    expect(nextBook(next, [hold('a', until)], NOW + 3 * HOUR, SPREAD)).toBe(next);
  });

  it('does not begin anew with a hold that has ended and whose `until` is moved then (V-104)', () => {
    const until = { until: toTime(NOW + HOUR) };
    const over = nextBook(bookOf(hold('a', until)), [hold('a', until)], NOW + 2 * HOUR, SPREAD);
    expect(nextBook(over, [hold('a', { until: toTime(NOW + 9 * HOUR) })], NOW + 3 * HOUR, SPREAD)).toBe(over);
  });

  it('takes over another `until` or reason with a new epoch, since the same instant (V-104)', () => {
    const next = nextBook(
      bookOf(hold('a')),
      [hold('a', { until: toTime(NOW + 9 * HOUR) })],
      NOW + HOUR,
      SPREAD,
    );
    expect(next).toMatchObject({ epoch: 2, active: [{ from: NOW, until: NOW + 9 * HOUR }] });
  });

  it('keeps 32 holds that have ended, for seven days (V-110)', () => {
    const many = Array.from({ length: 40 }, (_, n) => hold(`h${String(n).padStart(2, '0')}`));
    const some = nextBook(bookOf(...many.slice(0, 20)), many.slice(20), NOW + HOUR, SPREAD);
    const all = nextBook(some, [], NOW + 2 * HOUR, SPREAD);
    expect(all.past).toHaveLength(32);
    expect(all.past.filter(({ to }) => to === NOW + 2 * HOUR)).toHaveLength(20);
    expect(nextBook(all, [], NOW + 8 * 24 * HOUR, SPREAD).past).toEqual([]);
  });

  it('enters 32 holds at most (V-104)', () => {
    const many = Array.from({ length: 40 }, (_, n) => hold(`h${n}`));
    expect(bookOf(...many).active).toHaveLength(32);
  });
});
