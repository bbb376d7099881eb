import { expect, it } from 'vitest';
import {
  type BeatPace,
  beatPauseMs,
  INITIAL_PACE,
  paceAfter,
} from '../../../../../agent/rules/node-status/beat-pace.ts';

const pauseAt = (pace: BeatPace, uptime: number): number => beatPauseMs(pace, uptime, 10_000, 0);

it('beats each second for 15 s after each change of the revision, and not after the first one', () => {
  const first = paceAfter(INITIAL_PACE, '1', 1_000);
  expect(pauseAt(first, 1_000)).toBe(10_000);
  const changed = paceAfter(first, '2', 20_000);
  expect([20_000, 34_999, 35_000].map((at) => pauseAt(changed, at))).toEqual([1_000, 1_000, 10_000]);
  const same = paceAfter(changed, '2', 30_000);
  expect(pauseAt(same, 35_000)).toBe(10_000);
  expect(pauseAt(paceAfter(same, '3', 30_000), 44_999)).toBe(1_000);
});

it('never beats more seldom than it would otherwise', () => {
  const pace = paceAfter(paceAfter(INITIAL_PACE, '1', 0), '2', 0);
  expect(beatPauseMs(pace, 0, 250, 0)).toBe(250);
});
