import { describe, expect, it } from 'vitest';
import { compare } from '../../../timelines/comparison.ts';

const RECORDING = {
  facts: { answer: [201, null] },
  final: { 'Node/n': { metadata: { name: 'n' } } },
  summary: {
    'Node/n: added': [[0, 0.1]],
    'Node/n: changed': [
      [2, 3],
      [4, 4],
    ],
  },
} as const;

const RUN = {
  facts: { answer: [201, null] },
  finals: { 'Node/n': { metadata: { name: 'n' } } },
  happenings: [{ 'Node/n: added': [0.05], 'Node/n: changed': [1, 5] }],
  late: 0,
};

const problems = (run: object): readonly string[] =>
  compare(RECORDING, { ...RUN, ...run }, 1)
    .filter(({ problem }) => problem !== undefined)
    .map(({ name }) => name);

describe('the comparison of a run with a recording', () => {
  it('finds a run alike within the tolerance', () => {
    expect(problems({})).toEqual([]);
    expect(compare(RECORDING, RUN, 1)).toHaveLength(4);
  });

  it.each([
    [
      'a change at another time',
      { happenings: [{ ...RUN.happenings[0], 'Node/n: changed': [0.9, 5] }] },
      'Node/n: changed',
    ],
    [
      'a change too often',
      { happenings: [{ ...RUN.happenings[0], 'Node/n: added': [0, 0] }] },
      'Node/n: added',
    ],
    ['a change that is missing', { happenings: [{ 'Node/n: added': [0] }] }, 'Node/n: changed'],
    ['a change that nobody recorded', { happenings: [{ ...RUN.happenings[0], other: [1] }] }, 'other'],
    ['another answer', { facts: { answer: [429, null] } }, 'fact answer'],
    ['another object at the end', { finals: {} }, 'final Node/n'],
  ])('names %s', (_, run, name) => {
    expect(problems(run)).toEqual([name]);
  });

  it('takes what is as recorded by one of several notions of one change', () => {
    const [one] = RUN.happenings;
    const apart = { 'Node/n: added': [0.05], 'Node/n: changed': [1], 'Node/n: half': [5] };
    expect(problems({ happenings: [apart, one] })).toEqual([]);
    expect(problems({ happenings: [apart, { ...one, 'Node/n: half': [5] }] })).toEqual(['Node/n: half']);
    expect(problems({ happenings: [apart] })).toEqual(['Node/n: changed', 'Node/n: half']);
  });

  it('allows a scenario that was late as much more', () => {
    const happenings = [{ ...RUN.happenings[0], 'Node/n: changed': [0.9, 6.9] }];
    expect(problems({ happenings, late: 2 })).toEqual([]);
    expect(problems({ happenings, late: 1.8 })).toEqual(['Node/n: changed']);
  });
});
