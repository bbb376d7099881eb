import { describe, expect, it } from 'vitest';
import { totalsOf, type ZoneReport } from '../../../../lambdas/node-monitor/report.ts';

const zone = (state: ZoneReport['state'], waiting: number): ZoneReport => ({
  zone: 'a',
  state,
  size: 4,
  notReady: 0,
  health: 100,
  rate: 0.1,
  waiting,
  woken: false,
});

describe('the totals of a pass', () => {
  it.each([
    ['no zone', [], { disrupted: 0, waiting: 0 }],
    ['zones in order', [zone('Normal', 0), zone('Normal', 2)], { disrupted: 0, waiting: 2 }],
    [
      'every kind of disruption',
      [zone('PartialDisruption', 3), zone('FullDisruption', 1)],
      { disrupted: 2, waiting: 4 },
    ],
  ])('count %s', (_name, zones, totals) => {
    expect(totalsOf(zones)).toEqual(totals);
  });
});
