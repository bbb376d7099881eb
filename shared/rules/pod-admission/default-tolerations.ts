import type { Pod, Toleration } from '../../kube/types/core.ts';
import { TAINT_NOT_READY, TAINT_UNREACHABLE } from '../../kube/types/well-known.ts';
import type { DefaultSeconds } from './default-seconds.ts';

const isSetTo = (field: string | undefined, value: string): boolean =>
  field === undefined || field === '' || field === value;

/** Compares key and effect only, not value, operator and seconds. */
const covers = (toleration: Toleration, key: string): boolean =>
  isSetTo(toleration.key, key) && isSetTo(toleration.effect, 'NoExecute');

/**
 * The pod with tolerations of not-ready and unreachable for the given seconds, in this order, if it has none of its own;
 * the same object when both are covered. Source: kubernetes v1.34 admission plugin `DefaultTolerationSeconds`.
 */
export const addDefaultTolerations = (pod: Pod, { notReady, unreachable }: DefaultSeconds): Pod => {
  const own = pod.spec.tolerations ?? [];
  const missing = [
    { key: TAINT_NOT_READY, tolerationSeconds: notReady },
    { key: TAINT_UNREACHABLE, tolerationSeconds: unreachable },
  ]
    .filter(({ key }) => !own.some((toleration) => covers(toleration, key)))
    .map(
      ({ key, tolerationSeconds }): Toleration => ({
        key,
        operator: 'Exists',
        effect: 'NoExecute',
        tolerationSeconds,
      }),
    );
  return missing.length === 0 ? pod : { ...pod, spec: { ...pod.spec, tolerations: [...own, ...missing] } };
};
