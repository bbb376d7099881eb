import type { EventText } from '../../../shared/ports/process/event-recorder.ts';

/** Source: kubernetes v1.34 nodelifecycle `RecordNodeStatusChange`. */
export const nodeNotReady = (node: string): EventText => ({
  type: 'Normal',
  reason: 'NodeNotReady',
  message: `Node ${node} status is now: NodeNotReady`,
  component: 'node-controller',
});
