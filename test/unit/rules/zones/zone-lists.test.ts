import { describe, expect, test } from 'vitest';
import { longestWaiting, type WaitingNode } from '../../../../shared/rules/zones/zone-lists.ts';

const waiting = (count: number): readonly WaitingNode[] =>
  Array.from({ length: count }, (_, i) => ({ name: `node${i}`, since: 1_000 - i }));

describe('longestWaiting', () => {
  test('sorts by waiting time, longest first, and equal ones by name (A-11)', () => {
    const nodes = [
      { name: 'c', since: 2 },
      { name: 'b', since: 1 },
      { name: 'a', since: 2 },
    ];
    expect(longestWaiting(nodes, 0.1, 5_000)).toEqual(['b', 'a', 'c']);
  });

  test.each([
    { name: 'has at least twenty names', rate: 0.1, length: 20 },
    { name: 'has twice as many names as the rate can use in a period', rate: 7.05, length: 71 },
  ])('$name', ({ rate, length }) => {
    expect(longestWaiting(waiting(500), rate, 5_000)).toHaveLength(length);
  });
});
