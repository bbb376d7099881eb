import type { EventText } from '../../shared/ports/process/event-recorder.ts';

const nodeEvent = (reason: string, message: string): EventText => ({
  type: 'Normal',
  reason,
  message,
  component: 'node-controller',
});

/** Source: kubernetes v1.34 nodelifecycle `RecordNodeEvent`. */
export const registeredNode = (node: string): EventText =>
  nodeEvent('RegisteredNode', `Node ${node} event: Registered Node ${node} in Controller`);

/** Source: kubernetes v1.34 nodelifecycle `RecordNodeEvent`. */
export const removingNode = (node: string): EventText =>
  nodeEvent('RemovingNode', `Node ${node} event: Removing Node ${node} from Controller`);
