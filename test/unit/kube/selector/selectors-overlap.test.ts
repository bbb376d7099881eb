import { describe, expect, it } from 'vitest';
import { selectorsOverlap } from '../../../../shared/kube/selector/selectors-overlap.ts';
import type { LabelSelector } from '../../../../shared/kube/types/meta.ts';

const label = (key: string, value: string): LabelSelector => ({ matchLabels: { [key]: value } });
const needs = (key: string, operator: string, ...values: readonly string[]): LabelSelector => ({
  matchExpressions: [{ key, operator, ...(values.length > 0 ? { values } : {}) }],
});

describe('two selectors can select one node (Z-22)', () => {
  it.each<[string, LabelSelector | undefined, LabelSelector | undefined, boolean]>([
    ['with no requirement', undefined, {}, true],
    ['with different keys', label('pool', 'gpu'), label('disk', 'ssd'), true],
    ['with the same value', label('pool', 'gpu'), label('pool', 'gpu'), true],
    ['not with different values', label('pool', 'gpu'), label('pool', 'cpu'), false],
    ['with a common value', needs('a', 'In', 'x', 'y'), needs('a', 'In', 'y', 'z'), true],
    ['not with no common value', needs('a', 'In', 'x'), needs('a', 'In', 'y', 'z'), false],
    ['not with an excluded value', label('a', 'x'), needs('a', 'NotIn', 'x'), false],
    ['with a value that is left', needs('a', 'In', 'x', 'y'), needs('a', 'NotIn', 'x'), true],
    ['with two exclusions', needs('a', 'NotIn', 'x'), needs('a', 'NotIn', 'y'), true],
    ['not with a label that must be absent', label('a', 'x'), needs('a', 'DoesNotExist'), false],
    ['not with one that must be there and absent', needs('a', 'Exists'), needs('a', 'DoesNotExist'), false],
    ['with an exclusion and an absent label', needs('a', 'NotIn', 'x'), needs('a', 'DoesNotExist'), true],
  ])('%s', (_, a, b, expected) => {
    expect(selectorsOverlap(a, b)).toBe(expected);
    expect(selectorsOverlap(b, a)).toBe(expected);
  });
});
