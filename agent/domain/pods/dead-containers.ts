/** Which ended containers the runtime need not keep. Source: kubernetes v1.34 pkg/kubelet/kuberuntime `containerGC`, `MaxPerPodContainer`. */
import { newestFirst, type RuntimeContainer } from '../containers/runtime-status.ts';

/** Of each container the newest is kept, and the one before it, which is its last state. */
const KEPT = 2;

export const deadContainers = (runtime: readonly RuntimeContainer[]): readonly string[] =>
  [...Map.groupBy(newestFirst(runtime), ({ name }) => name).values()].flatMap((all) =>
    all
      .slice(KEPT)
      .filter(({ state }) => state === 'exited')
      .map(({ id }) => id),
  );
