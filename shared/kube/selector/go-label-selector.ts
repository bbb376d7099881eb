/** Formats a label selector as Go's generated `String` does, for texts of Events. Source: apimachinery v1.34 `generated.pb.go`. */
import { byText } from '../text/compare-text.ts';
import type { LabelSelector } from '../types/meta.ts';

/** `nil` for an absent selector. */
export const goLabelSelector = (selector: LabelSelector | undefined): string => {
  if (!selector) return 'nil';
  const labels = Object.entries(selector.matchLabels ?? {})
    .toSorted(([a], [b]) => byText(a, b))
    .map(([key, value]) => `${key}: ${value},`);
  const requirements = (selector.matchExpressions ?? []).map(
    ({ key, operator, values = [] }) =>
      `LabelSelectorRequirement{Key:${key},Operator:${operator},Values:[${values.join(' ')}],},`,
  );
  return `&LabelSelector{MatchLabels:map[string]string{${labels.join('')}},MatchExpressions:[]LabelSelectorRequirement{${requirements.join('')}},}`;
};
