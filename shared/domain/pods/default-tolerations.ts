import type { Pod, Toleration } from '../../api/core.ts';
import { TAINT_NOT_READY, TAINT_UNREACHABLE } from '../../api/well-known.ts';

const DEFAULT_SECONDS = 300;

const isSetTo = (field: string | undefined, value: string): boolean =>
  field === undefined || field === '' || field === value;

/** Compares key and effect only, not value, operator and seconds. */
const covers = (toleration: Toleration, key: string): boolean =>
  isSetTo(toleration.key, key) && isSetTo(toleration.effect, 'NoExecute');

/**
 * The pod with tolerations of not-ready and unreachable for `seconds`, in this order, if it has none of its own;
 * the same object when both are covered. Source: kubernetes v1.34 admission plugin `DefaultTolerationSeconds`.
 */
export const addDefaultTolerations = (pod: Pod, seconds: number = DEFAULT_SECONDS): Pod => {
  const own = pod.spec.tolerations ?? [];
  const missing = [TAINT_NOT_READY, TAINT_UNREACHABLE]
    .filter((key) => !own.some((toleration) => covers(toleration, key)))
    .map((key): Toleration => ({ key, operator: 'Exists', effect: 'NoExecute', tolerationSeconds: seconds }));
  return missing.length === 0 ? pod : { ...pod, spec: { ...pod.spec, tolerations: [...own, ...missing] } };
};
