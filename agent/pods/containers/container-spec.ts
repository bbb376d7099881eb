/** All that the runtime needs to start a container. Source: kubernetes v1.34 pkg/kubelet/kuberuntime `generateContainerConfig`. */
import type { ContainerSpec, PodIdentity } from '../../ports/machine/runtime.ts';
import type { AgentPod } from '../../rules/containers/agent-pod.ts';
import type { Container } from '../../rules/containers/container.ts';
import {
  commandOf,
  environmentOf,
  environmentSources,
} from '../../rules/containers/environment/environment.ts';
import type { ContainerStart } from '../../rules/pod-actions/action-facts.ts';
import { isByRuntime } from '../../rules/pods/isolation.ts';
import { oomScoreAdjustments } from '../../rules/pods/oom-score.ts';
import { refusedField } from '../../rules/pods/refused-fields.ts';
import { containerBounds } from '../../rules/pods/resource-bounds.ts';
import { inputOf } from '../../rules/runtime/container-input.ts';
import { configMapText, secretText } from '../worker/object-text.ts';
import type { PodDeps } from '../worker/worker-deps.ts';
import { uidOf } from '../worker/worker-state.ts';

/** Reason of the waiting state of a container that lacks something. */
export const CONFIG_ERROR = 'CreateContainerConfigError';

/** Why a container is not started: the reason and the message of its status. */
export interface StartFault {
  readonly reason: string;
  readonly fault: string;
}

export const identityOf = (pod: AgentPod): PodIdentity => ({
  namespace: pod.metadata.namespace ?? '',
  name: pod.metadata.name,
  uid: uidOf(pod),
});

/** A pod has the node's addresses if it uses its network, or has none of its own. */
const podIPsOf = ({ view, node }: Pick<PodDeps, 'view' | 'node'>, pod: AgentPod): readonly string[] =>
  pod.spec.hostNetwork === true ? node.hostIPs() : (view.latest().get(uidOf(pod))?.ips ?? node.hostIPs());

const environment = (deps: PodDeps, pod: AgentPod, container: Container) => {
  const { objects, node } = deps;
  const { namespace = '' } = pod.metadata;
  const names = environmentSources(container);
  const found = <T>(wanted: ReadonlySet<string>, get: (name: string) => T | undefined) =>
    new Map(
      [...wanted].flatMap((name) => {
        const one = get(name);
        return one ? [[name, one] as const] : [];
      }),
    );
  return environmentOf({
    pod,
    container,
    podIPs: podIPsOf(deps, pod),
    hostIPs: node.hostIPs(),
    configMaps: found(names.configMaps, (name) => configMapText(objects.configMap(namespace, name))),
    secrets: found(names.secrets, (name) => secretText(objects.secret(namespace, name))),
    allocatable: node.allocatable(),
    services: node.services,
  });
};

const optional = ({ workingDir, lifecycle, ...rest }: Container) => {
  const { terminationMessagePath, terminationMessagePolicy } = rest;
  const input = inputOf(rest);
  const stopSignal = (lifecycle as { readonly stopSignal?: string } | undefined)?.stopSignal;
  return {
    ...(typeof workingDir === 'string' && workingDir !== '' && { workingDirectory: workingDir }),
    ...(stopSignal !== undefined && { stopSignal }),
    ...(input && { input }),
    ...(typeof terminationMessagePath === 'string' && { terminationMessagePath }),
    ...(terminationMessagePolicy === 'FallbackToLogsOnError' && { terminationMessageFallsBackToLogs: true }),
  };
};

/** The specification, or what is missing. */
export const containerSpec = async (
  deps: PodDeps,
  pod: AgentPod,
  { container, restartCount }: ContainerStart,
): Promise<ContainerSpec | StartFault> => {
  const { isolation, plain } = deps.runtime;
  const isOfRuntime = isByRuntime(isolation);
  const refused = plain?.refusal(pod, container) ?? refusedField(pod, container, isolation);
  if (refused !== undefined) return { reason: CONFIG_ERROR, fault: refused };
  const variables = environment(deps, pod, container);
  if ('fault' in variables) return { reason: CONFIG_ERROR, fault: variables.fault };
  const mounted = await deps.volumes.mounts(pod, container, variables);
  if ('fault' in mounted) return { reason: CONFIG_ERROR, fault: mounted.fault };
  const { command, args } = commandOf(container, variables);
  const bounds = containerBounds(container);
  return {
    pod: identityOf(pod),
    name: container.name,
    restartCount,
    image: container.image ?? '',
    command: [...command, ...args],
    ...(isOfRuntime && { source: { pod, container, command, args } }),
    environment: Object.fromEntries(variables),
    mounts: mounted.mounts,
    bounds: deps.resources?.containerBounds(pod, container, bounds) ?? bounds,
    oomScoreAdjust: oomScoreAdjustments(pod, deps.node.memoryCapacity())[container.name] ?? 0,
    ...optional(container),
  };
};
