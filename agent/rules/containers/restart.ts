/** Whether a container is started again. Source: kubernetes v1.34 pkg/kubelet/container `ShouldContainerBeRestarted`. */
import type { AgentPod } from './agent-pod.ts';
import type { RuntimeContainer } from './runtime-status.ts';

/** Whether the policy wants a container that has exited to run again. */
export const restartsAfter = (restartPolicy: string | undefined, exitCode: number | undefined): boolean =>
  restartPolicy !== 'Never' && !(restartPolicy === 'OnFailure' && exitCode === 0);

/** Whether the container is to be started: for the first time, or again. `latest` is its newest in the runtime. */
export const shouldStart = (
  { metadata, spec }: Pick<AgentPod, 'metadata' | 'spec'>,
  latest: Pick<RuntimeContainer, 'state' | 'exitCode'> | undefined,
): boolean => {
  if (metadata.deletionTimestamp !== undefined || latest?.state === 'running') return false;
  return latest?.state !== 'exited' || restartsAfter(spec.restartPolicy, latest.exitCode);
};
