import { expect, it } from 'vitest';
import { RESTART_LIMITS, restartDecision } from '../../../../../agent/rules/containers/back-off.ts';

const NOW = 1_000_000;

it.each([
  ['ended just so', NOW - 1, false],
  ['waited long enough', NOW - 10_000, true],
  ['ended in the future, because the clock was set back', NOW + 3_600_000, true],
])('J-159: a container that %s: starts %s', (_, endedAt, start) => {
  const before = { waitMs: 10_000, decidedAt: endedAt - 5_000 };
  expect(restartDecision(before, endedAt, NOW, RESTART_LIMITS).start).toBe(start);
});
