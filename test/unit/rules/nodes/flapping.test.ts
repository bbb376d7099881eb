import { describe, expect, it } from 'vitest';
import type { ConditionStatus } from '../../../../shared/kube/types/meta.ts';
import { isFlapping, keepsTaint, lossesAfter } from '../../../../shared/rules/nodes/flapping.ts';
import { flipsAllowed } from '../../../../shared/rules/policies/paced-flips.ts';

const NOW = 1_700_000_000_000;
const damping = { losses: 3, withinMs: 600_000, stableMs: 120_000 };
const ago = (...seconds: readonly number[]) => seconds.map((one) => ({ lostAt: NOW - one * 1000 }));

describe('losses of readiness (Z-30)', () => {
  it.each<[string, ConditionStatus | undefined, ConditionStatus | undefined, number]>([
    ['silence', 'True', 'Unknown', 1],
    ["the kubelet's word", 'True', 'False', 1],
    ['a condition that is taken away', 'True', undefined, 1],
    ['no loss: still ready', 'True', 'True', 0],
    ['no loss: it was not ready', 'False', 'Unknown', 0],
    ['no loss: the first report', undefined, 'False', 0],
    ['no loss: it is back', 'Unknown', 'True', 0],
  ])('%s', (_, before, after, losses) => {
    expect(lossesAfter([], before, after, NOW)).toHaveLength(losses);
  });

  it('are the newest eight', () => {
    const losses = lossesAfter(ago(8, 7, 6, 5, 4, 3, 2, 1), 'True', 'False', NOW);
    expect(losses).toEqual(ago(7, 6, 5, 4, 3, 2, 1, 0));
  });
});

describe('a node flaps (Z-31)', () => {
  it.each<[string, readonly { readonly lostAt: number }[], boolean]>([
    ['that lost its readiness three times within ten minutes', ago(600, 300, 0), true],
    ['not with two losses', ago(300, 0), false],
    ['not if the first of them is longer ago', ago(601, 300, 0), false],
    ['not by losses that are ahead of the clock', ago(300, 0, -10), false],
  ])('%s', (_, losses, expected) => {
    expect(isFlapping(losses, damping, NOW)).toBe(expected);
    expect(isFlapping(losses, undefined, NOW)).toBe(false);
  });
});

describe('a ready node keeps its taint (Z-32)', () => {
  const flapping = ago(300, 200, 130);
  it.each<[string, readonly { readonly lostAt: number }[], number | undefined, boolean]>([
    ['while it flaps and has just become ready', flapping, undefined, true],
    ['until it has been ready for two minutes', flapping, NOW - 119_999, true],
    ['not after that', flapping, NOW - 120_000, false],
    ['not if it does not flap', ago(300), NOW, false],
    ['not if its readiness begins ahead of the clock', flapping, NOW + 60_000, false],
  ])('%s', (_, losses, readySince, expected) => {
    expect(keepsTaint(losses, readySince, damping, NOW)).toBe(expected);
    expect(keepsTaint(losses, readySince, undefined, NOW)).toBe(false);
  });
});

describe('nodes of a disrupted zone become Unknown at a pace (Z-34)', () => {
  it.each<[string, number, number | undefined, number]>([
    ['one at once, if none is Unknown', 0.1, undefined, 1],
    ['none until the next one is due', 0.1, NOW - 9_999, 0],
    ['one when it is due', 0.1, NOW - 10_000, 1],
    ['one after a long time: what is not used is lost', 0.1, NOW - 600_000, 1],
    ["as many as the rate gives in a pass's period", 2, NOW - 5_000, 10],
    ['what is due since the last one', 2, NOW - 1_500, 3],
    ['as if none was, if the last one is ahead of the clock', 0.1, NOW + 60_000, 1],
  ])('%s', (_, rate, lastAt, expected) => {
    expect(flipsAllowed(rate, lastAt, NOW, 5_000)).toBe(expected);
  });
});
