/** Removes what is kept of ended containers. Source: kubernetes v1.34 pkg/kubelet `StartGarbageCollection`, pkg/kubelet/kuberuntime `containerGC`. */

import type { Clock } from '../ports/machine/clock.ts';
import type { Runtime } from '../ports/machine/runtime.ts';
import type { Log } from '../ports/machine/shutdown.ts';
import { type ContainerPolicy, deadContainers } from '../rules/garbage/container-garbage.ts';
import { type GarbageEvent, garbageEvent } from '../rules/garbage/garbage-texts.ts';

export interface ContainerCollectorOptions {
  readonly runtime: Pick<Runtime, 'pods' | 'removeContainer'>;
  readonly policy: ContainerPolicy;
  readonly clock: Pick<Clock, 'now' | 'sleep'>;
  tell(event: GarbageEvent): void;
  readonly log: Log;
}

const PERIOD_MS = 60_000;

const round = async ({ runtime, policy, clock, tell, log }: ContainerCollectorOptions): Promise<void> => {
  try {
    const pods = await runtime.pods();
    const containers = pods.map((pod) => pod.containers);
    for (const id of deadContainers(containers, policy, clock.now())) await runtime.removeContainer(id);
  } catch (error) {
    log('container garbage collection failed', error);
    tell(garbageEvent('ContainerGCFailed', error instanceof Error ? error.message : String(error)));
  }
};

/** Rounds, until `signal` aborts. */
export const collectContainers = async (
  options: ContainerCollectorOptions,
  signal: AbortSignal,
): Promise<void> => {
  while (!signal.aborted) {
    await round(options);
    await options.clock.sleep(PERIOD_MS);
  }
};
