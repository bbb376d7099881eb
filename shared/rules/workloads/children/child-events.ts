/** Texts of Events about the children of an owner. Source: kubernetes v1.34 `controller_utils.go`. */
import type { Pod } from '../../../kube/types/core.ts';

/** Type, reason and message of an Event. */
export interface ChildEvent {
  readonly type: 'Normal' | 'Warning';
  readonly reason: string;
  readonly message: string;
}

/** A pod was created. */
export const createdPod = (name: string): ChildEvent => ({
  type: 'Normal',
  reason: 'SuccessfulCreate',
  message: `Created pod: ${name}`,
});

/** The deletion of a pod has begun. */
export const deletedPod = (name: string): ChildEvent => ({
  type: 'Normal',
  reason: 'SuccessfulDelete',
  message: `Deleted pod: ${name}`,
});

/** A pod was refused; `error` says why. */
export const failedToCreate = (error: string): ChildEvent => ({
  type: 'Warning',
  reason: 'FailedCreate',
  message: `Error creating: ${error}`,
});

/** A pod of a DaemonSet has failed or, which it should not do, succeeded. */
export const endedDaemonPod = (
  { metadata: { namespace = '', name }, status }: Pod,
  node: string,
): ChildEvent => {
  const at = `daemon pod ${namespace}/${name} on node ${node}, will try to`;
  return status?.phase === 'Failed'
    ? { type: 'Warning', reason: 'FailedDaemonPod', message: `Found failed ${at} kill it` }
    : { type: 'Normal', reason: 'SucceededDaemonPod', message: `Found succeeded ${at} delete it` };
};
