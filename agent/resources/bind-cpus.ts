/** Keeps running containers on the CPUs that are theirs. Source: kubernetes v1.34 cpumanager `reconcileState`. */

import type { Clock } from '../ports/machine/clock.ts';
import type { Runtime } from '../ports/machine/runtime.ts';
import type { Log } from '../ports/machine/shutdown.ts';
import type { PodResources } from '../ports/pods/pod-resources.ts';
import type { AgentPod } from '../rules/containers/agent-pod.ts';
import { createWaker } from '../waker.ts';

export interface BindCpusDeps {
  readonly resources: PodResources;
  readonly runtime: Pick<Runtime, 'pods' | 'bindContainer'>;
  /** All pods that take resources; `undefined` as long as not all pods are known. */
  activePods(): readonly AgentPod[] | undefined;
  readonly periodMs: number;
  readonly clock: Clock;
  readonly log: Log;
}

const bindAll = async ({ resources, runtime, log }: BindCpusDeps): Promise<void> => {
  for (const { pod, containers } of await runtime.pods())
    for (const { id, name, state } of containers) {
      const cpus = resources.cpusOf(pod.uid, name);
      if (cpus === undefined || state !== 'running') continue;
      const failed = (error: unknown): void =>
        log(`container ${name} of pod ${pod.namespace}/${pod.name} is not moved to the CPUs ${cpus}`, error);
      await runtime.bindContainer(id, cpus).catch(failed);
    }
};

/** Goes on until `signal` aborts. What is given away is taken from the others at once; what nobody uses is given back in each period. */
export const bindCpus = async (deps: BindCpusDeps, signal: AbortSignal): Promise<void> => {
  const { resources, clock, periodMs, log } = deps;
  const waker = createWaker(clock);
  signal.addEventListener('abort', waker.wake, { once: true });
  const unsubscribe = resources.onChange(waker.wake);
  while (!signal.aborted) {
    const active = deps.activePods();
    if (active) resources.keepOnly(active);
    await bindAll(deps).catch((error: unknown) => log('CPUs of containers could not be compared', error));
    if (!signal.aborted) await waker.wait(periodMs);
  }
  unsubscribe();
};
