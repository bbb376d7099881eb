/** Ends all containers of a pod at once. Source: kubernetes v1.34 pkg/kubelet/kuberuntime `killContainersWithSyncResult`. */

import type { PodEvents } from '../../ports/api/pod-events.ts';
import type { Clock } from '../../ports/machine/clock.ts';
import type { ContainerStopper } from '../../ports/machine/container-stopper.ts';
import type { AgentPod } from '../../rules/containers/agent-pod.ts';
import type { Container } from '../../rules/containers/container.ts';
import { containerGrace, LEAST_STOP_SECONDS, type StopReason } from '../../rules/containers/grace.ts';
import { stopOrder } from '../../rules/containers/stop-order.ts';
import { waitAtMost } from '../../wait-at-most.ts';

export interface StopDeps {
  readonly clock: Pick<Clock, 'uptime' | 'sleep'>;
  readonly runtime: ContainerStopper;
  readonly events: PodEvents;
}

/** A container that runs. */
export interface RunningContainer {
  readonly id: string;
  readonly container: Container;
}

export interface StopOptions {
  readonly reason: StopReason;
  /** Text of the event; absent: that it is stopped. */
  readonly message?: string;
  /** Grace period in seconds that counts instead of the pod's. */
  readonly overrideSeconds?: number;
  /** Resolves when those have ended that end before this container. */
  readonly turn?: Promise<unknown>;
}

/** Waits for `work`, but not longer than `seconds`. Returns how many whole seconds have passed. */
const secondsUntil = async (
  { clock }: StopDeps,
  work: Promise<unknown>,
  seconds: number,
): Promise<number> => {
  const began = clock.uptime();
  await waitAtMost(clock, seconds * 1000, work);
  return Math.trunc((clock.uptime() - began) / 1000);
};

/** The message of the hook may hold a secret, so that the event does not repeat it. */
const preStop = async (deps: StopDeps, pod: AgentPod, { container, id }: RunningContainer): Promise<void> => {
  try {
    await deps.runtime.runPreStop(pod, container, id);
  } catch {
    const [reason, message] = ['FailedPreStopHook', 'PreStopHook failed'];
    deps.events.record(pod, { type: 'Warning', reason, message, container: container.name });
  }
};

/** Ends one container, and resolves when it has ended. Rejects if the runtime fails. */
export const stopContainer = async (
  deps: StopDeps,
  pod: AgentPod,
  running: RunningContainer,
  { reason, message, overrideSeconds, turn }: StopOptions,
): Promise<void> => {
  const { container, id } = running;
  let seconds = overrideSeconds ?? containerGrace(pod, container, reason);
  const text = message ?? `Stopping container ${container.name}`;
  deps.events.record(pod, { type: 'Normal', reason: 'Killing', message: text, container: container.name });
  if (container.lifecycle?.preStop && seconds > 0)
    seconds -= await secondsUntil(deps, preStop(deps, pod, running), seconds);
  if (turn && seconds > 0) seconds -= await secondsUntil(deps, turn, seconds);
  await deps.runtime.stopContainer(id, Math.max(LEAST_STOP_SECONDS, seconds));
};

/** What became of a container: absent `error`, it has ended. */
export interface StopResult {
  readonly name: string;
  readonly error?: string;
}

const settled = async (name: string, end: Promise<void>): Promise<StopResult> => {
  try {
    await end;
    return { name };
  } catch (error) {
    return { name, error: error instanceof Error ? error.message : String(error) };
  }
};

/** Ends the containers of a pod in parallel. A container that does not end keeps those waiting that end after it, for as long as they may. */
export const stopContainers = async (
  deps: StopDeps,
  pod: AgentPod,
  running: readonly RunningContainer[],
  overrideSeconds?: number,
): Promise<readonly StopResult[]> => {
  const order = stopOrder(pod.spec, new Set(running.map(({ container }) => container.name)));
  const ends = new Map(running.map(({ container }) => [container.name, Promise.withResolvers<undefined>()]));
  const turnOf = (name: string): Promise<unknown> | undefined => {
    const before = order.get(name);
    return before && Promise.all(before.flatMap((one) => ends.get(one)?.promise ?? []));
  };
  const stop = async (one: RunningContainer): Promise<void> => {
    const turn = turnOf(one.container.name);
    const options = { ...(turn && { turn }), ...(overrideSeconds !== undefined && { overrideSeconds }) };
    await stopContainer(deps, pod, one, { reason: 'other', ...options });
    ends.get(one.container.name)?.resolve(undefined);
  };
  return await Promise.all(running.map((one) => settled(one.container.name, stop(one))));
};
