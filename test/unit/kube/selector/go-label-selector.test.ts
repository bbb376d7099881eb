import { expect, it } from 'vitest';
import { goLabelSelector } from '../../../../shared/kube/selector/go-label-selector.ts';
import type { LabelSelector } from '../../../../shared/kube/types/meta.ts';

it.each<[LabelSelector | undefined, string]>([
  [undefined, 'nil'],
  [{}, '&LabelSelector{MatchLabels:map[string]string{},MatchExpressions:[]LabelSelectorRequirement{},}'],
  [
    { matchLabels: { b: '2', a: '1' } },
    '&LabelSelector{MatchLabels:map[string]string{a: 1,b: 2,},MatchExpressions:[]LabelSelectorRequirement{},}',
  ],
  [
    { matchExpressions: [{ key: 'k', operator: 'In', values: ['x', 'y'] }] },
    '&LabelSelector{MatchLabels:map[string]string{},MatchExpressions:[]LabelSelectorRequirement{LabelSelectorRequirement{Key:k,Operator:In,Values:[x y],},},}',
  ],
])('%j is formatted as in Go', (selector, text) => {
  expect(goLabelSelector(selector)).toBe(text);
});
