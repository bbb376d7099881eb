import type { Node } from '../../kube/types/core.ts';
import { TAINT_OUT_OF_SERVICE } from '../../kube/types/well-known.ts';
import type { EpochMs } from '../../kube/values/time.ts';
import { readyStatusOf } from './node-conditions.ts';

/** The taint as the documentation of Kubernetes writes it. */
export const OUT_OF_SERVICE_TAINT = {
  key: TAINT_OUT_OF_SERVICE,
  value: 'nodeshutdown',
  effect: 'NoExecute',
} as const;

/** Whether the node has a taint with the key `out-of-service`, of any value and effect. */
export const hasOutOfServiceTaint = ({ spec }: Node): boolean =>
  (spec?.taints ?? []).some(({ key }) => key === TAINT_OUT_OF_SERVICE);

/** Whether somebody has said that the machine is off, and it is not ready. Source: kubernetes v1.34 podgc `gcTerminating`. */
export const isOutOfService = (node: Node): boolean =>
  hasOutOfServiceTaint(node) && readyStatusOf(node) !== 'True';

/**
 * Why the machine seems to be on although the node has the taint: the node is ready, or a beat of it (`heardAt`, ms) came within the grace
 * period (ms). `undefined`: nothing speaks against the taint, or there is none.
 */
export const outOfServiceDoubt = (
  node: Node,
  heardAt: EpochMs | undefined,
  now: EpochMs,
  graceMs: number,
): 'ready' | 'heard' | undefined => {
  if (!hasOutOfServiceTaint(node)) return undefined;
  if (readyStatusOf(node) === 'True') return 'ready';
  return heardAt !== undefined && now - heardAt <= graceMs ? 'heard' : undefined;
};
