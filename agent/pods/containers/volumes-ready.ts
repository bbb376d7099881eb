/** Brings the volumes of a pod up to date, and tells what failed. */
import type { PodDeps } from '../worker/worker-deps.ts';
import type { PodState } from '../worker/worker-state.ts';

/** Whether containers can start. A fault is told once while it stays the same. */
export const volumesReady = async (deps: PodDeps, state: PodState): Promise<boolean> => {
  const faults = await deps.volumes.setUp(state.pod);
  const told = faults.map(({ volume, message }) => `${volume} ${message}`).join('\n');
  if (told !== state.toldFault)
    for (const { volume, message } of faults)
      deps.events.record(state.pod, {
        type: 'Warning',
        reason: 'FailedMount',
        message: `MountVolume.SetUp failed for volume "${volume}" : ${message}`,
      });
  state.toldFault = told;
  return faults.every(({ isThere }) => isThere);
};
