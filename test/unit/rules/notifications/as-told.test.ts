import { describe, expect, it } from 'vitest';
import { asTold, type Published } from '../../../../shared/rules/notifications/as-told.ts';
import type { LifecycleEvent } from '../../../../shared/rules/notifications/lifecycle-event.ts';

const SECOND = 1_000;
const MINUTE = 60_000;

const lost = (node: string, zone = 'a', revision = 1): LifecycleEvent => ({
  detailType: 'NodeLost',
  detail: { id: `u-${node}/${revision}`, severity: 'warning', message: `${node} is lost`, node, zone },
});
const returned = (node: string): LifecycleEvent => ({
  detailType: 'NodeReturned',
  detail: { id: `u-${node}/9`, severity: 'resolved', message: `${node} is back`, node, zone: 'a' },
});
const outage: LifecycleEvent = {
  detailType: 'ZoneStateChanged',
  detail: { id: 'zone/a/0/FullDisruption', severity: 'critical', message: 'zone a is out', zone: 'a' },
};
const at = (seconds: number, event: LifecycleEvent): Published => ({ at: seconds * SECOND, event });

/** Second, message and further events of each notification. */
const shown = (published: readonly Published[], until = 60 * MINUTE) =>
  asTold(published, until).map((one) => [
    one.at / SECOND,
    one.message,
    one.grouped.reduce((sum, { count }) => sum + count, 0),
  ]);

describe('what a sink would have been told (J-281)', () => {
  it.each<[string, readonly Published[], readonly (readonly [number, string, number])[]]>([
    ['nothing of nothing', [], []],
    [
      'a group ten seconds after its first event',
      [at(0, lost('n1')), at(9, lost('n2'))],
      [[10, 'n1 is lost', 1]],
    ],
    [
      'the worst event for all',
      [at(0, lost('n1')), at(3, outage), at(4, lost('n2'))],
      [[10, 'zone a is out', 2]],
    ],
    [
      'what goes on after five minutes',
      [at(0, lost('n1')), at(20, lost('n2')), at(100, lost('n3'))],
      [
        [10, 'n1 is lost', 0],
        [320, 'n2 is lost', 1],
      ],
    ],
    [
      'something worse soon, although other events wait for their five minutes',
      [at(0, lost('n1')), at(20, lost('n2')), at(40.5, outage)],
      [
        [10, 'n1 is lost', 0],
        [41, 'zone a is out', 1],
      ],
    ],
    [
      'zones apart',
      [at(0, lost('n1')), at(1, lost('m1', 'b'))],
      [
        [10, 'n1 is lost', 0],
        [11, 'm1 is lost', 0],
      ],
    ],
    [
      'an end after its beginning',
      [at(0, lost('n1')), at(2, returned('n1'))],
      [
        [10, 'n1 is lost', 0],
        [12, 'n1 is back', 0],
      ],
    ],
    ['a repetition once', [at(0, lost('n1')), at(1, lost('n1'))], [[10, 'n1 is lost', 0]]],
  ])('%s', (_, published, told) => {
    expect(shown(published)).toEqual(told);
  });

  it('is only what is due before the end', () => {
    const published = [at(0, lost('n1')), at(100, lost('m1', 'b'))];
    expect(shown(published, 109 * SECOND)).toEqual([[10, 'n1 is lost', 0]]);
    expect(shown(published, 110 * SECOND)).toHaveLength(2);
  });

  it('counts each event once, also of more than are looked at together', () => {
    const published = Array.from({ length: 5_000 }, (_, n) => at(n / 1_000, lost(`n${n}`)));
    const counts = shown(published).map(([, , more]) => Number(more) + 1);
    expect(counts.reduce((sum, count) => sum + count, 0)).toBe(5_000);
    expect(counts[0]).toBe(2_000);
  });
});
