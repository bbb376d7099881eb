/** The annotations by which others ask for a drain, or say that a maintenance is done. */
import type { Node } from '../../kube/types/core.ts';
import { withAnnotation } from '../../kube/values/with-annotation.ts';

/** The annotation of a Node that asks for its drain. It counts while the Node is unschedulable. */
export const DRAIN_ANNOTATION = 'rollcall.dev/drain';

/** The annotation by which somebody says that the maintenance of a Node is done: `true`. */
export const MAINTENANCE_DONE_ANNOTATION = 'rollcall.dev/maintenance-done';

/** Whether somebody has made the Node unschedulable. */
export const isCordoned = ({ spec }: Node): boolean => spec?.unschedulable === true;

/** A write that makes a node schedulable takes the request away, so that a later cordon does not bring it back. */
export const withoutCancelledDrain = (after: Node, before: Node): Node => {
  if (isCordoned(after) || !isCordoned(before)) return after;
  const metadata = withAnnotation(after.metadata, DRAIN_ANNOTATION, undefined);
  return metadata === after.metadata ? after : { ...after, metadata };
};
