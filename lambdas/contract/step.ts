/** A committed change of an object, as the change router hands it to the controllers. */
import type { Pod } from '../../shared/kube/types/core.ts';
import type { LiveRow, ObjectKey, Revision } from '../../shared/ports/store/rows.ts';

/** A deletion marker counts as absent. At least one of `before` and `after` is set. */
export interface Step {
  readonly key: ObjectKey;
  readonly uid: string;
  readonly revision: Revision;
  readonly before: LiveRow | undefined;
  readonly after: LiveRow | undefined;
}

export const podOf = (row: LiveRow | undefined): Pod | undefined => row?.object as Pod | undefined;

/** Name of the node that a pod is bound to; empty for none. */
export const nodeNameOf = (row: LiveRow | undefined): string => podOf(row)?.spec.nodeName ?? '';

/** Whether the step bound the pod to a node. */
export const isNewlyBound = ({ before, after }: Step): boolean =>
  nodeNameOf(after) !== '' && nodeNameOf(after) !== nodeNameOf(before);
