import { describe, expect, it } from 'vitest';
import { lagOf } from '../../../../shared/rules/zones/monitor-lag.ts';

const NOW = 1_700_000_000_000;
const HOUR = 3_600_000;
const last = (agoMs: number, nodes = 3) => ({ at: NOW - agoMs, nodes });

describe('the lag of passes (G-21)', () => {
  it.each([
    ['begins now', last(0), 0],
    ['began five seconds ago', last(5_000), 5_000],
    ['is about to be late', last(59_999), 59_999],
    ['is a little ahead of the clock', last(-400), 400],
    ['is late', last(60_000), undefined],
    ['is far ahead of the clock', last(-HOUR), undefined],
    ['saw no node', last(5_000, 0), undefined],
    ['never was', undefined, undefined],
  ])('depends on nodes only if the last pass does not say it: it %s', (_, pass, lag) =>
    expect(lagOf(pass, NOW)).toBe(lag),
  );

  it.each([
    ['no nodes and no pass', undefined, undefined, 0],
    ['no nodes, and a late pass', last(HOUR), undefined, 0],
    ['no nodes, and a pass that saw none', last(5_000, 0), undefined, 0],
    ['nodes, and a late pass', last(HOUR), NOW - 2 * HOUR, HOUR],
    ['nodes, and a pass far ahead of the clock', last(-HOUR), NOW - 2 * HOUR, HOUR],
    ['a node that came after a pass that saw none', last(HOUR, 0), NOW - 60_000, 60_000],
    ['nodes, and no pass', undefined, NOW - 2 * HOUR, 2 * HOUR],
    ['a node whose creation is ahead of the clock, and no pass', undefined, NOW + HOUR, HOUR],
  ])('with %s', (_, pass, oldestNode, lag) => expect(lagOf(pass, NOW, { oldestNode })).toBe(lag));

  it('of a dead monitor reaches the alarm within minutes, however wrong the clock of its last pass was', () => {
    for (const aheadMs of [0, 30_000, 59_000, 61_000, 180_000, 300_000, HOUR]) {
      const pass = { at: NOW + aheadMs, nodes: 1 };
      const lags = Array.from({ length: 15 }, (_, minute) =>
        lagOf(pass, NOW + minute * 60_000, { oldestNode: NOW - HOUR }),
      );
      const late = lags.map((lag) => (lag ?? 0) >= 60_000);
      const fires = late.some((_, at) => at >= 4 && late.slice(at - 4, at + 1).every(Boolean));
      expect(fires, `${aheadMs} ms ahead`).toBe(true);
    }
  });
});
