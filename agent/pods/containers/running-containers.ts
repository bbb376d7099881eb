/** The containers of a pod that may run. */

import type { RuntimePod } from '../../ports/machine/runtime.ts';
import type { AgentPod } from '../../rules/containers/agent-pod.ts';
import type { RunningContainer } from './stop-containers.ts';

/** Those that have not ended for certain. One that the specification does not name is ended without hooks. */
export const mayRun = ({ spec }: AgentPod, there: RuntimePod | undefined): readonly RunningContainer[] => {
  const { initContainers = [], containers, ephemeralContainers = [] } = spec;
  const known = [...initContainers, ...containers, ...ephemeralContainers];
  return (there?.containers ?? [])
    .filter(({ state }) => state !== 'exited')
    .map(({ id, name }) => ({ id, container: known.find((one) => one.name === name) ?? { name } }));
};
