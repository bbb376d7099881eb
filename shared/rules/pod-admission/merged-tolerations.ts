/** Lists of tolerations that are merged. Source: kubernetes v1.34 pkg/util/tolerations. */

import { deepEqual } from '../../kube/json/deep-equal.ts';
import type { Toleration } from '../../kube/types/core.ts';

const operatorOf = ({ operator }: Toleration): string => operator || 'Equal';

const coversSeconds = (wide: Toleration, narrow: Toleration): boolean =>
  wide.effect !== 'NoExecute' ||
  wide.tolerationSeconds === undefined ||
  (narrow.tolerationSeconds !== undefined && narrow.tolerationSeconds <= wide.tolerationSeconds);

/** Whether one toleration tolerates all that another one does. Source: `isSuperset`. */
export const covers = (wide: Toleration, narrow: Toleration): boolean => {
  if (deepEqual(wide, narrow)) return true;
  const isOfAllKeys = !wide.key && operatorOf(wide) === 'Exists';
  if ((narrow.key ?? '') !== (wide.key ?? '') && !isOfAllKeys) return false;
  if ((narrow.effect ?? '') !== (wide.effect ?? '') && wide.effect) return false;
  if (!coversSeconds(wide, narrow)) return false;
  return operatorOf(wide) === 'Exists' || (operatorOf(narrow) === 'Equal' && narrow.value === wide.value);
};

/** Both lists without the tolerations that another one covers. Source: `MergeTolerations`. */
export const mergedTolerations = (
  first: readonly Toleration[],
  second: readonly Toleration[],
): readonly Toleration[] => {
  const all = [...first, ...second];
  const merged: Toleration[] = [];
  for (const [index, one] of all.entries()) {
    const isCovered =
      merged.some((other) => covers(other, one)) ||
      all.slice(index + 1).some((other) => !deepEqual(other, one) && covers(other, one));
    if (!isCovered) merged.push(one);
  }
  return merged;
};
