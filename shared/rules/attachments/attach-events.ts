/** Events about volumes of pods. Source: kubernetes v1.34 attachdetach/reconciler `reportMultiAttachError`, operationexecutor. */
import type { Pod } from '../../kube/types/core.ts';

/** Type, reason and message of an Event. */
export interface AttachEvent {
  readonly type: 'Normal' | 'Warning';
  readonly reason: string;
  readonly message: string;
}

/** Of a pod whose volume is at its node from now on. Kubernetes ends the text with a blank. */
export const attachSucceeded = (volume: string): AttachEvent => ({
  type: 'Normal',
  reason: 'SuccessfulAttachVolume',
  message: `AttachVolume.Attach succeeded for volume "${volume}" `,
});

const failed = (message: string): AttachEvent => ({ type: 'Warning', reason: 'FailedAttachVolume', message });

/** Of a pod whose volume the driver could not attach. */
export const attachFailed = (volume: string, error: string): AttachEvent =>
  failed(`AttachVolume.Attach failed for volume "${volume}" : ${error}`);

/** Names of pods in other namespaces are not told. */
const usersText = (pod: Pod, users: readonly Pod[]): string => {
  const local = users.filter(({ metadata }) => metadata.namespace === pod.metadata.namespace);
  const others = users.length - local.length;
  if (local.length === 0) return `Volume is already used by ${others} pod(s) in different namespaces`;
  const names = local.map(({ metadata }) => metadata.name).join(', ');
  const more = others > 0 ? ` and ${others} pod(s) in different namespaces` : '';
  return `Volume is already used by pod(s) ${names}${more}`;
};

const EXCLUSIVE = "Volume is already exclusively attached to one node and can't be attached to another";

/** Of a pod whose volume is at another node, where `users` want it. */
export const multiAttach = (volume: string, pod: Pod, users: readonly Pod[]): AttachEvent =>
  failed(
    `Multi-Attach error for volume "${volume}" ${users.length === 0 ? EXCLUSIVE : usersText(pod, users)}`,
  );
