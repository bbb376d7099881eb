import type { EventText } from '../../shared/ports/process/event-recorder.ts';

/** Source: kubernetes v1.34 controller/util/node `RecordNodeStatusChange`. */
const statusChange = (node: string, status: string): EventText => ({
  type: 'Normal',
  reason: status,
  message: `Node ${node} status is now: ${status}`,
  component: 'cidrAllocator',
});

/** A range has no free block for the Node. */
export const cidrNotAvailable = (node: string): EventText => statusChange(node, 'CIDRNotAvailable');

/** The Node could not be written, so it has no podCIDRs yet. */
export const cidrAssignmentFailed = (node: string): EventText => statusChange(node, 'CIDRAssignmentFailed');
