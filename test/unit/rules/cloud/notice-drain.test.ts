import { describe, expect, it } from 'vitest';
import type { NoticeKind } from '../../../../shared/rules/cloud/cloud-notice.ts';
import { drainFor } from '../../../../shared/rules/cloud/notice-drain.ts';

const NOW = 1_767_657_600_000;
const SECOND = 1_000;
const MINUTE = 60 * SECOND;

/** Deadline and begin of deletions in seconds from now, and whether bare pods go. */
const drained = (notice: NoticeKind, goesInMs?: number) => {
  const goesAt = goesInMs === undefined ? {} : { goesAt: NOW + goesInMs };
  const request = drainFor({ says: 'leaves', instance: 'i-1', id: 'e', notice, ...goesAt }, NOW);
  if (!request) return 'nothing';
  const { deadlineAt, deleteAt, force = false } = request;
  const inSeconds = (at: number | undefined) => (at === undefined ? '-' : (at - NOW) / SECOND);
  return [inSeconds(deadlineAt), inSeconds(deleteAt), force ? 'all pods' : 'not bare pods'].join(' ');
};

describe('a notice that a machine leaves (J-81)', () => {
  const rows: readonly [string, NoticeKind, number | undefined, string][] = [
    ['Spot: budgets count for a minute', 'spot', 2 * MINUTE, '120 60 all pods'],
    ['Spot: late, budgets do not count', 'spot', 30 * SECOND, '30 0 all pods'],
    ['Spot: just over', 'spot', -MINUTE, '- - all pods'],
    ['Spot: hours late', 'spot', -60 * MINUTE, 'nothing'],
    ['a recommendation: no end, and bare pods stay', 'rebalance', undefined, '- - not bare pods'],
    ['maintenance: budgets count until ten minutes before', 'maintenance', 60 * MINUTE, '3600 3000 all pods'],
    ['maintenance that has begun', 'maintenance', -60 * MINUTE, '- - all pods'],
    ['an Auto Scaling group', 'lifecycle', 60 * MINUTE, '3600 3000 all pods'],
    ['an Auto Scaling group that has long stopped to wait', 'lifecycle', -6 * MINUTE, 'nothing'],
  ];
  it.each(rows)('%s', (_, notice, goesInMs, expected) => {
    expect(drained(notice, goesInMs)).toBe(expected);
  });

  it('has the same id each time it is delivered', () => {
    const word = { says: 'leaves', instance: 'i-1', id: 'e', notice: 'spot' } as const;
    expect(drainFor(word, NOW)?.id).toBe(drainFor(word, NOW + MINUTE)?.id);
  });
});
