/** Starts a container, with its hook. Source: kubernetes v1.34 pkg/kubelet/kuberuntime `startContainer`. */

import type { PodEvent } from '../../ports/api/pod-events.ts';
import type { ContainerSpec } from '../../ports/machine/runtime.ts';
import type { ContainerStart } from '../../rules/pod-actions/action-facts.ts';
import { backOffKey } from '../../rules/pod-actions/action-facts.ts';
import { unlessInterrupted } from '../worker/interrupt.ts';
import type { PodDeps } from '../worker/worker-deps.ts';
import type { PodState } from '../worker/worker-state.ts';
import { imageFor } from './container-image.ts';
import { containerSpec } from './container-spec.ts';
import { holdBack, isHeldBack } from './delay-retry.ts';
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
