import type { EventText } from '../../shared/ports/process/event-recorder.ts';

interface PodName {
  readonly namespace: string;
  readonly name: string;
}

/** Source: kubernetes v1.34 scheduler `bind`. */
export const scheduled = ({ namespace, name }: PodName, nodeName: string, component: string): EventText => ({
  type: 'Normal',
  reason: 'Scheduled',
  message: `Successfully assigned ${namespace}/${name} to ${nodeName}`,
  component,
});

/** Source: kubernetes v1.34 scheduler `handleSchedulingFailure`. */
export const failedScheduling = (message: string, component: string): EventText => ({
  type: 'Warning',
  reason: 'FailedScheduling',
  message,
  component,
});

/** Source: kubernetes v1.34 scheduler `preemption.PreemptPod`. */
export const preempted = (preemptorUid: string, nodeName: string, component: string): EventText => ({
  type: 'Normal',
  reason: 'Preempted',
  message: `Preempted by pod ${preemptorUid} on node ${nodeName}`,
  component,
});
