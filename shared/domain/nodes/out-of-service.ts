import type { Node } from '../../api/core.ts';
import { TAINT_OUT_OF_SERVICE } from '../../api/well-known.ts';
import { readyStatusOf } from './node-conditions.ts';

/** Whether the node has a taint with the key `out-of-service`, of any value and effect. */
export const hasOutOfServiceTaint = ({ spec }: Node): boolean =>
  (spec?.taints ?? []).some(({ key }) => key === TAINT_OUT_OF_SERVICE);

/** Whether somebody has said that the machine is off, and it is not ready. Source: kubernetes v1.34 podgc `gcTerminating`. */
export const isOutOfService = (node: Node): boolean =>
  hasOutOfServiceTaint(node) && readyStatusOf(node) !== 'True';
