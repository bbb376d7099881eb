/** `matchLabelKeys` and `mismatchLabelKeys` of spread constraints and affinity terms. */

import { ownMember } from '../../../kube/json/own-member.ts';
import type { Pod } from '../../../kube/types/core.ts';
import type { LabelSelector } from '../../../kube/types/meta.ts';

/**
 * The selector with a requirement for each of the keys that the pod has as a label. An absent selector stays absent: it
 * selects nothing.
 */
export const withLabelKeys = (
  selector: LabelSelector | undefined,
  keys: readonly string[] | undefined,
  pod: Pod,
  operator: 'In' | 'NotIn',
): LabelSelector | undefined => {
  if (!selector || !keys) return selector;
  const added = keys.flatMap((key) => {
    const value = ownMember(pod.metadata.labels, key);
    return value === undefined ? [] : [{ key, operator, values: [value] }];
  });
  if (added.length === 0) return selector;
  return { ...selector, matchExpressions: [...(selector.matchExpressions ?? []), ...added] };
};

/**
 * As `withLabelKeys`, for a selector into which the creation of the pod may have written the keys: what it requires of a key already stays
 * alone, also if the label has changed since.
 */
export const withMissingLabelKeys = (
  selector: LabelSelector | undefined,
  keys: readonly string[] | undefined,
  pod: Pod,
  operator: 'In' | 'NotIn',
): LabelSelector | undefined => {
  const written = new Set(
    (selector?.matchExpressions ?? []).filter((one) => one.operator === operator).map(({ key }) => key),
  );
  return withLabelKeys(
    selector,
    keys?.filter((key) => !written.has(key)),
    pod,
    operator,
  );
};
