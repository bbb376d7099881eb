/** CPUs that belong to one container alone, over starts of the agent. Source: kubernetes v1.34 cpumanager `cpu_manager.go`. */

import type { CheckpointStore } from '../ports/pods/pod-resources.ts';
import { cpuSetText } from '../rules/config/cpu-set.ts';
import { allocateCpus, type CpuBook, releaseCpus } from '../rules/cpus/allocate-cpus.ts';
import { CPU_CHECKPOINT, cpuCheckpointText, readCpuCheckpoint } from '../rules/cpus/cpu-checkpoint.ts';
import { cpuHints, cpuHintsOfPod } from '../rules/cpus/cpu-hints.ts';
import { assignedCpus, type CpuState, EMPTY_STATE } from '../rules/cpus/cpu-state.ts';
import { type StaticCpuPolicy, startedState } from '../rules/cpus/static-policy.ts';
import type { HintProvider } from '../rules/topology/admit-pod.ts';
import { type KeptFile, restoreState, startedBook } from './kept-state.ts';
import { type Owned, ownersOf, staleOf } from './owners.ts';

export interface CpuManager extends HintProvider {
  keepOnly(owned: Owned): void;
  /** `undefined`: containers run on any CPU. */
  cpusOf(podUid: string, container: string): string | undefined;
  isExclusive(podUid: string, container: string): boolean;
}

const FILE: KeptFile<CpuState> = {
  name: CPU_CHECKPOINT,
  of: 'CPU',
  empty: EMPTY_STATE,
  read: readCpuCheckpoint,
};

/** Nothing belongs to one container alone. The file says so, so that a change of policy is seen. */
const noneManager = (store: CheckpointStore): CpuManager => {
  store.write(CPU_CHECKPOINT, cpuCheckpointText('none', restoreState(store, FILE, 'none')));
  return {
    hints: () => undefined,
    podHints: () => undefined,
    allocate: () => undefined,
    keepOnly: () => undefined,
    cpusOf: () => undefined,
    isExclusive: () => false,
  };
};

/** `policy` absent: policy `none`. Throws a `ResourceFault` if what was kept does not fit. */
export const createCpuManager = (store: CheckpointStore, policy: StaticCpuPolicy | undefined): CpuManager => {
  if (!policy) return noneManager(store);
  let book: CpuBook = startedBook(store, FILE, startedState(policy, restoreState(store, FILE, 'static')));
  const keep = (next: CpuBook): void => {
    const hasChanged = next.shared !== book.shared || next.assignments !== book.assignments;
    book = next;
    if (hasChanged) store.write(CPU_CHECKPOINT, cpuCheckpointText('static', book));
  };
  store.write(CPU_CHECKPOINT, cpuCheckpointText('static', book));
  return {
    hints: (pod, container) => cpuHints(policy, book, pod, container),
    podHints: (pod) => cpuHintsOfPod(policy, book, pod),
    allocate: (pod, container, hint) => {
      const next = allocateCpus(policy, book, { pod, container, hint });
      if ('error' in next) return next;
      keep(next);
      return undefined;
    },
    keepOnly: (owned) => {
      const stale = staleOf(ownersOf(book.assignments), owned);
      keep(stale.reduce((now, { podUid, container }) => releaseCpus(now, podUid, container), book));
    },
    cpusOf: (podUid, container) => cpuSetText(assignedCpus(book, podUid, container) ?? book.shared),
    isExclusive: (podUid, container) => assignedCpus(book, podUid, container) !== undefined,
  };
};
