import type { EventText } from '../../shared/ports/process/event-recorder.ts';

/** Source: kubernetes v1.34 controller/util/node `MarkPodsNotReady`. */
export const NODE_NOT_READY: EventText = {
  type: 'Warning',
  reason: 'NodeNotReady',
  message: 'Node is not ready',
  component: 'node-controller',
};
