import { describe, expect, it } from 'vitest';
import type { NextStep } from '../../../../shared/rules/roll-call/next-steps.ts';
import { stepGroups } from '../../../../shared/rules/roll-call/step-groups.ts';

const step = (kind: NextStep['kind'], at: number, node: string, more: Partial<NextStep> = {}): NextStep => ({
  kind,
  at,
  node,
  zone: 'a',
  what: '',
  why: `${node} why`,
  text: '',
  ...more,
});

describe('steps that are told together (J-313)', () => {
  it.each<[string, readonly NextStep[], readonly string[][]]>([
    [
      'nodes of a zone that become Unknown in the same pass',
      [step('unknown', 5, 'n1'), step('unknown', 5, 'n2'), step('unknown', 10, 'n3')],
      [['n1', 'n2'], ['n3']],
    ],
    [
      'but not those of two zones',
      [step('unknown', 5, 'n1'), step('unknown', 5, 'n2', { zone: 'b' })],
      [['n1'], ['n2']],
    ],
    [
      'the waiting line of a zone',
      [step('taint', 5, 'n1'), step('taint', 15, 'n2'), step('taint', 20, 'n3', { zone: 'b' })],
      [['n1', 'n2'], ['n3']],
    ],
    [
      'pods that leave a node within a second',
      [step('eviction', 900, 'n1'), step('eviction', 1_000, 'n1'), step('eviction', 1_001, 'n1')],
      [['n1', 'n1'], ['n1']],
    ],
    ['pods of two nodes', [step('eviction', 900, 'n1'), step('eviction', 900, 'n2')], [['n1'], ['n2']]],
    ['one drain each', [step('drain', 5, 'n1'), step('drain', 5, 'n2')], [['n1'], ['n2']]],
    ['nothing', [], []],
  ])('%s', (_, steps, groups) => {
    expect(stepGroups(steps).map((group) => group.steps.map(({ node }) => node))).toEqual(groups);
  });

  it('speak with the instant and the reason of the first one, and stand in the order of it', () => {
    const groups = stepGroups([step('taint', 1, 'n1'), step('eviction', 2, 'n2'), step('taint', 3, 'n3')]);
    expect(groups.map(({ at, why, kind }) => [at, why, kind])).toEqual([
      [1, 'n1 why', 'taint'],
      [2, 'n2 why', 'eviction'],
    ]);
  });
});
