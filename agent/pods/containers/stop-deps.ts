/** What stops containers, from what runs pods. */

import type { PodDeps } from '../worker/worker-deps.ts';
import type { StopDeps } from './stop-containers.ts';

export const stopDeps = ({ clock, runtime, hooks, events }: PodDeps): StopDeps => ({
  clock,
  events,
  runtime: {
    stopContainer: async (id, seconds) => await runtime.stopContainer(id, seconds),
    runPreStop: async (pod, container, id) => await hooks.preStop(pod, container, id),
  },
});
