/** The NoExecute taints by which the control plane marks a node that is not healthy. */
import type { Taint } from '../../kube/types/core.ts';
import { TAINT_NOT_READY, TAINT_UNREACHABLE } from '../../kube/types/well-known.ts';

/** True if the taint is `not-ready` or `unreachable`: the control plane itself puts such a taint on nodes. */
export const isHealthTaint = ({ key }: Pick<Taint, 'key'>): boolean =>
  key === TAINT_NOT_READY || key === TAINT_UNREACHABLE;

/** True if one of the taints is a health taint. */
export const isTaintedByHealth = (noExecute: readonly Pick<Taint, 'key'>[]): boolean =>
  noExecute.some(isHealthTaint);
