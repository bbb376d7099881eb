import { describe, expect, test } from 'vitest';
import { inCrowds } from '../../../../shared/rules/patience/crowd.ts';
import { isRhythm, survivedMs } from '../../../../shared/rules/patience/survived-silence.ts';

describe('the silence that a node has ended between two passes (V-81)', () => {
  test.each([
    ['none, without a newer beat', { beatAt: 0, seenAt: 20_000 }, 0, 0],
    ['none, if the newest beat was taken back', { beatAt: 9_000, seenAt: 20_000 }, 5_000, 0],
    ['the time between the two beats', { beatAt: 0, seenAt: 28_000 }, 31_000, 31_000],
    ['the same, if the pass came with the first of them', { beatAt: 8_000, seenAt: 8_000 }, 12_000, 4_000],
    [
      'what the last pass has seen, if others may have come between',
      { beatAt: 0, seenAt: 28_000 },
      34_000,
      28_000,
    ],
    ['what it has seen, if it is long ago', { beatAt: 0, seenAt: 28_000 }, 900_000, 28_000],
    ['none that it could see, if beats came after a long time', { beatAt: 9_000, seenAt: 8_000 }, 900_000, 0],
    ['what it has seen, of a beat that a relay kept', { beatAt: 0, seenAt: 28_000 }, 12_000, 28_000],
  ])('is %s', (_, last, beatAt, ms) => {
    expect(survivedMs(last, beatAt, 10_000)).toBe(ms);
  });

  test('is one of its rhythm up to one and a half times between two beats', () => {
    expect([isRhythm(15_000, 10_000), isRhythm(15_001, 10_000)]).toEqual([true, false]);
  });
});

describe('silences that nodes of a zone end together (V-82)', () => {
  const S = 1_000;
  test.each<[string, readonly number[], number, string]>([
    ['two are not', [0, S], 5, 'nn'],
    ['three within 30 s are, in a small zone', [0, 14 * S, 30 * S], 20, 'yyy'],
    ['three in a longer time are not', [0, 14 * S, 31 * S], 20, 'nnn'],
    ['three of thirty nodes are a tenth, and not more', [0, S, 2 * S], 30, 'nnn'],
    ['three of twenty-nine are more', [0, S, 2 * S], 29, 'yyy'],
    ['one before and one after do not belong to them', [0, 40 * S, 41 * S, 42 * S, 90 * S], 20, 'nyyyn'],
    ['those that overlap belong to them', [0, 20 * S, 30 * S, 50 * S, 60 * S], 20, 'yyyyy'],
    ['none are none', [], 20, ''],
  ])('%s', (_, ends, nodes, marks) => {
    expect(
      inCrowds(ends, nodes)
        .map((is) => (is ? 'y' : 'n'))
        .join(''),
    ).toBe(marks);
  });
});
