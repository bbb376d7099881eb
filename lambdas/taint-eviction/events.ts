import type { EventText } from '../../shared/ports/process/event-recorder.ts';

interface PodName {
  readonly namespace: string;
  readonly name: string;
}

const taintManagerEviction = (message: string): EventText => ({
  type: 'Normal',
  reason: 'TaintManagerEviction',
  message,
  component: 'taint-eviction-controller',
});

/** Source: kubernetes v1.34 tainteviction `emitPodDeletionEvent`. */
export const markingForDeletion = ({ namespace, name }: PodName): EventText =>
  taintManagerEviction(`Marking for deletion Pod ${namespace}/${name}`);

/** Source: kubernetes v1.34 tainteviction `emitCancelPodDeletionEvent`. */
export const cancellingDeletion = ({ namespace, name }: PodName): EventText =>
  taintManagerEviction(`Cancelling deletion of Pod ${namespace}/${name}`);
