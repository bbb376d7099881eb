import { describe, expect, it } from 'vitest';
import type { LifecyclePolicySpec } from '../../../../shared/kube/types/lifecycle-policy.ts';
import type { LabelSelector } from '../../../../shared/kube/types/meta.ts';
import { heldPolicies, specificityOf, tieOf } from '../../../../shared/rules/policies/policy-order.ts';
import { aPolicy } from '../../../support/objects/policies.ts';

const label = (key: string, value: string): LabelSelector => ({ matchLabels: { [key]: value } });
describe('a policy ties with another one (Z-23)', () => {
  it.each<[string, LifecyclePolicySpec, LifecyclePolicySpec, boolean]>([
    ['if both hold for all', {}, {}, true],
    ['if they share a zone', { zones: ['a', 'b'] }, { zones: ['b'] }, true],
    ['not if one of them names no zone at all', { zones: [] }, { zones: ['b'] }, false],
    ['not if they share no zone', { zones: ['a'] }, { zones: ['b'] }, false],
    ['not with another priority', { zones: ['a'] }, { zones: ['a'], priority: 1 }, false],
    ['not if one is more specific', { zones: ['a'] }, { zones: ['a'], nodeSelector: label('p', 'q') }, false],
    [
      'if their selectors can meet',
      { nodeSelector: label('a', 'x') },
      { nodeSelector: label('b', 'y') },
      true,
    ],
    [
      'not if their selectors meet in other zones only',
      { zones: ['a'], nodeSelector: label('a', 'x') },
      { zones: ['b'], nodeSelector: label('a', 'x') },
      false,
    ],
  ])('%s', (_, one, two, expected) => {
    expect(tieOf(aPolicy('one', one), [aPolicy('two', two)]) !== undefined).toBe(expected);
  });

  it('never with itself', () => {
    expect(tieOf(aPolicy('one'), [aPolicy('one')])).toBeUndefined();
  });
});

it.each<[LifecyclePolicySpec, number]>([
  [{}, 0],
  [{ zones: [] }, 1],
  [{ zones: ['a'] }, 1],
  [{ nodeSelector: {} }, 2],
  [{ zones: ['a'], nodeSelector: {} }, 3],
])('%j is specific by what it selects (Z-20)', (spec, expected) => {
  expect(specificityOf(spec)).toBe(expected);
});

describe('the policies that hold', () => {
  it('are ordered by what they select, then by priority (Z-20)', () => {
    const { accepted, conflicts } = heldPolicies([
      aPolicy('all'),
      aPolicy('low', { zones: ['a'], priority: -1 }),
      aPolicy('zone', { zones: ['a'] }),
      aPolicy('pool', { nodeSelector: label('pool', 'gpu') }),
      aPolicy('both', { zones: ['a'], nodeSelector: label('pool', 'gpu') }),
    ]);
    expect(accepted.map(({ metadata }) => metadata.name)).toEqual(['both', 'pool', 'zone', 'low', 'all']);
    expect(conflicts).toEqual(new Map());
  });

  it('are the older ones of a tie, then those whose name comes first, in whatever order they are read (Z-24)', () => {
    const policies = [
      aPolicy('b', { zones: ['a'] }, '2026-03-01T12:00:00Z'),
      aPolicy('a', { zones: ['a', 'b'] }, '2026-03-01T12:00:00Z'),
      aPolicy('c', { zones: ['b', 'c'] }, '2026-03-01T11:59:59Z'),
    ];
    for (const order of [policies, policies.toReversed()]) {
      const { accepted, conflicts } = heldPolicies(order);
      expect(accepted.map(({ metadata }) => metadata.name)).toEqual(['b', 'c']);
      // What has no effect takes the effect of nobody else.
      expect(conflicts).toEqual(new Map([['a', 'c']]));
    }
  });
});
