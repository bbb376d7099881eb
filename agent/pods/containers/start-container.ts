/** Starts a container, with its hook. Source: kubernetes v1.34 pkg/kubelet/kuberuntime `startContainer`. */

import { pullPolicy } from '../../../shared/kube/defaults/container.ts';
import type { EnsuredImage } from '../../images/image-manager.ts';
import type { PodEvent } from '../../ports/api/pod-events.ts';
import type { ContainerSpec } from '../../ports/machine/runtime.ts';
import type { AgentPod } from '../../rules/containers/agent-pod.ts';
import type { Container } from '../../rules/containers/container.ts';
import type { PullSecret } from '../../rules/images/credentials.ts';
import { missingSecrets } from '../../rules/images/pull-texts.ts';
import { backOffKey, type ContainerStart } from '../../rules/pod-actions/action-facts.ts';
import { unlessInterrupted } from '../worker/interrupt.ts';
import type { PodDeps } from '../worker/worker-deps.ts';
import type { PodState } from '../worker/worker-state.ts';
import { containerSpec, identityOf } from './container-spec.ts';
import { holdBack, isHeldBack } from './delay-retry.ts';
import { runtimeHandlerOf } from './runtime-handler.ts';
import { stopContainer } from './stop-containers.ts';
import { stopDeps } from './stop-deps.ts';

const textOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

const reasonOf = (error: unknown): string => {
  const reason: unknown = error instanceof Error && 'reason' in error ? error.reason : undefined;
  return typeof reason === 'string' ? reason : 'RunContainerError';
};

/** A container whose hook fails is ended; its policy says whether it is started again. */
const runHook = async (
  deps: PodDeps,
  state: PodState,
  start: ContainerStart,
  id: string,
): Promise<boolean> => {
  const [{ pod, interrupt }, { container }] = [state, start];
  if (!container.lifecycle?.postStart) return true;
  try {
    await deps.hooks.postStart(pod, container, id, interrupt.signal);
    return true;
  } catch (error) {
    const [reason, message] = ['FailedPostStartHook', 'PostStartHook failed'];
    deps.events.record(pod, { type: 'Warning', reason, message, container: container.name });
    state.startErrors.set(container.name, { reason: 'PostStartHookError', message: textOf(error) });
    const stop = stopContainer(stopDeps(deps), pod, { id, container }, { reason: 'other', message: reason });
    await unlessInterrupted(state, stop);
    return false;
  }
};

const namesOf = ({ spec }: AgentPod): readonly string[] => {
  const given = spec['imagePullSecrets'];
  const all = Array.isArray(given) ? (given as readonly { readonly name?: string }[]) : [];
  return all.flatMap(({ name }) => name || []);
};

/** Those of the pod that are there; an event names the others. */
const secretsOf = ({ objects, events }: PodDeps, pod: AgentPod): readonly PullSecret[] => {
  const { namespace = '' } = pod.metadata;
  const found = namesOf(pod).map((name) => ({ name, secret: objects.secret(namespace, name) }));
  const missing = missingSecrets(found.flatMap(({ name, secret }) => (secret ? [] : [name])));
  if (missing) events.record(pod, missing);
  return found.flatMap(({ name, secret }) => (secret ? [{ ...secret, metadata: { name } }] : []));
};

const policyOf = ({ imagePullPolicy, image = '' }: Container): string =>
  typeof imagePullPolicy === 'string' && imagePullPolicy !== '' ? imagePullPolicy : pullPolicy(image);

/**
 * What a container is created from; empty: the runtime has no images. `undefined`: the pod is to be ended, or the agent stops.
 * Source: kubernetes v1.34 pkg/kubelet/kuberuntime `startContainer`.
 */
const imageFor = async (
  deps: PodDeps,
  { pod, interrupt }: PodState,
  container: Container,
): Promise<EnsuredImage | Record<string, never> | undefined> => {
  const { images, events } = deps;
  if (!images) return {};
  const { signal } = interrupt;
  return await images
    .ensure({
      pod: identityOf(pod),
      image: container.image ?? '',
      policy: policyOf(container),
      secrets: secretsOf(deps, pod),
      signal,
      ...runtimeHandlerOf(deps, pod),
      tell: (event) => events.record(pod, { ...event, container: container.name }),
    })
    .catch((error: unknown) => {
      if (signal.aborted || images.isClosed()) return undefined;
      throw error;
    });
};

/**
 * The container with the image that is there; `undefined`: it cannot start, and its status tells why, or the pod is to be ended. A pull
 * that has just failed is not held back, so that the state says at once that the next one waits.
 */
const withImage = async (
  deps: PodDeps,
  state: PodState,
  { container }: ContainerStart,
): Promise<Pick<ContainerSpec, 'imageReference'> | undefined> => {
  const ensured = await imageFor(deps, state, container);
  if (!ensured || !('fault' in ensured))
    return ensured && ('image' in ensured ? { imageReference: ensured.image.id } : {});
  const { fault, waitMs } = ensured;
  state.startErrors.set(container.name, fault);
  const message = `Error: ${fault.reason}`;
  deps.events.record(state.pod, { type: 'Warning', reason: 'Failed', message, container: container.name });
  if (waitMs !== undefined) holdBack(deps, state, backOffKey(container), waitMs);
  return undefined;
};

/** Whether the container runs then. If not, its status tells why. */
export const startContainer = async (
  deps: PodDeps,
  state: PodState,
  start: ContainerStart,
): Promise<boolean> => {
  const [{ pod, startErrors, backOffs }, { container, backOff }] = [state, start];
  const tell = (type: PodEvent['type'], reason: string, message: string): void =>
    deps.events.record(pod, { type, reason, message, container: container.name });
  const failed = (reason: string, message: string): false => {
    startErrors.set(container.name, { reason, message });
    holdBack(deps, state, container.name);
    tell('Warning', 'Failed', `Error: ${message}`);
    return false;
  };
  if ([container.name, backOffKey(container)].some((what) => isHeldBack(deps, state, what))) return false;
  const image = await withImage(deps, state, start);
  if (!image) return false;
  const spec = await containerSpec(deps, pod, start);
  if ('fault' in spec) return failed(spec.reason, spec.fault);
  try {
    const id = await deps.runtime.startContainer({ ...spec, ...image });
    deps.resources?.onStarted(pod, container);
    if (backOff) backOffs.set(backOffKey(container), backOff);
    tell('Normal', 'Created', `Created container: ${container.name}`);
    tell('Normal', 'Started', `Started container ${container.name}`);
    startErrors.delete(container.name);
    return await runHook(deps, state, start, id);
  } catch (error) {
    return failed(reasonOf(error), textOf(error));
  }
};
