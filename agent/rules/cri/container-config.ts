/** What the runtime is told of a container. Source: kubernetes v1.34 pkg/kubelet/kuberuntime `generateContainerConfig`, `makeMounts`. */

import type { AgentPod } from '../containers/agent-pod.ts';
import type { Container } from '../containers/container.ts';
import type { ContainerMount } from '../containers/container-mount.ts';
import { containerAnnotations, containerLabels } from './labels.ts';
import type { ContainerConfig } from './messages/containers.ts';
import type { LinuxResources } from './messages/linux.ts';
import { SIGNALS } from './messages/signals.ts';
import { containerSecurity, type ImageUser, type SeccompSettings } from './security-context.ts';

export interface ContainerFacts {
  readonly pod: AgentPod;
  readonly container: Container;
  readonly agent: string;
  readonly restartCount: number;
  /** Id of the image, or another name by which the runtime finds it. */
  readonly imageRef: string;
  readonly imageUser: ImageUser;
  /** With their references replaced. */
  readonly command: readonly string[];
  readonly args: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
  readonly mounts: readonly ContainerMount[];
  readonly workingDirectory?: string;
  readonly stopSignal?: string;
  readonly resources: LinuxResources;
  readonly seccomp: SeccompSettings;
}

const PROPAGATIONS = {
  HostToContainer: 'PROPAGATION_HOST_TO_CONTAINER',
  Bidirectional: 'PROPAGATION_BIDIRECTIONAL',
} as const;

const mountOf = ({ source, target, isReadOnly, propagation }: ContainerMount) => ({
  hostPath: source,
  containerPath: target,
  readonly: isReadOnly,
  ...(propagation && { propagation: PROPAGATIONS[propagation] }),
});

/** Relative to the pod's folder of logs. */
export const logPathOf = (name: string, restartCount: number): string => `${name}/${restartCount}.log`;

const isSet = (container: Container, field: string): boolean => container[field] === true;

export const containerConfig = (facts: ContainerFacts): ContainerConfig => {
  const { pod, container, restartCount, imageRef, workingDirectory = '', stopSignal = '' } = facts;
  return {
    metadata: { name: container.name, attempt: restartCount },
    image: { image: imageRef, userSpecifiedImage: container.image ?? '' },
    command: facts.command,
    args: facts.args,
    workingDir: workingDirectory,
    envs: Object.entries(facts.environment).map(([key, value]) => ({ key, value })),
    mounts: facts.mounts.map(mountOf),
    labels: containerLabels(pod, container, facts.agent),
    annotations: containerAnnotations(pod, container, restartCount),
    logPath: logPathOf(container.name, restartCount),
    stdin: isSet(container, 'stdin'),
    stdinOnce: isSet(container, 'stdinOnce'),
    tty: isSet(container, 'tty'),
    linux: {
      resources: facts.resources,
      securityContext: containerSecurity(pod, container, facts.imageUser, facts.seccomp),
    },
    ...(SIGNALS.includes(stopSignal) && { stopSignal }),
  };
};
