/** Memory that belongs to one container alone, over starts of the agent. Source: kubernetes v1.34 memorymanager `memory_manager.go`. */

import type { CheckpointStore } from '../ports/pods/pod-resources.ts';
import { cpuSetText } from '../rules/config/cpu-set.ts';
import type { AgentPod } from '../rules/containers/agent-pod.ts';
import type { Container } from '../rules/containers/container.ts';
import { allocateMemory, releaseMemory } from '../rules/memory/allocate-memory.ts';
import {
  MEMORY_CHECKPOINT,
  memoryCheckpointText,
  readMemoryCheckpoint,
} from '../rules/memory/memory-checkpoint.ts';
import { memoryHints, memoryHintsOfPod } from '../rules/memory/memory-hints.ts';
import {
  blocksOf,
  type MachineMemory,
  type MemoryBook,
  type MemoryState,
} from '../rules/memory/memory-state.ts';
import { startedMemory } from '../rules/memory/memory-state-fault.ts';
import { containersInOrder, isPassing } from '../rules/pod-actions/containers-in-time.ts';
import type { HintProvider } from '../rules/topology/admit-pod.ts';
import { type KeptFile, restoreState, startedBook } from './kept-state.ts';
import { type Owned, ownersOf, staleOf } from './owners.ts';

export interface MemoryManager extends HintProvider {
  keepOnly(owned: Owned): void;
  onStarted(pod: AgentPod, container: Container): void;
  /** The NUMA nodes of a container's memory, such as `0-1`; `undefined`: any. */
  nodesOf(podUid: string, container: string): string | undefined;
}

const FILE: KeptFile<MemoryState> = {
  name: MEMORY_CHECKPOINT,
  of: 'memory',
  empty: { machineState: {}, entries: {} },
  read: readMemoryCheckpoint,
};

const noneManager = (store: CheckpointStore): MemoryManager => {
  store.write(MEMORY_CHECKPOINT, memoryCheckpointText('None', restoreState(store, FILE, 'None')));
  return {
    hints: () => undefined,
    podHints: () => undefined,
    allocate: () => undefined,
    keepOnly: () => undefined,
    onStarted: () => undefined,
    nodesOf: () => undefined,
  };
};

/** `fresh`: the memory of the machine, with policy `Static`. Throws a `ResourceFault` if what was kept does not fit. */
export const createMemoryManager = (
  store: CheckpointStore,
  fresh: MachineMemory | undefined,
): MemoryManager => {
  if (!fresh) return noneManager(store);
  let book: MemoryBook = startedBook(store, FILE, startedMemory(restoreState(store, FILE, 'Static'), fresh));
  const keep = (next: MemoryBook): void => {
    const hasChanged = next.machineState !== book.machineState || next.entries !== book.entries;
    book = next;
    if (hasChanged) store.write(MEMORY_CHECKPOINT, memoryCheckpointText('Static', book));
  };
  store.write(MEMORY_CHECKPOINT, memoryCheckpointText('Static', book));
  return {
    hints: (pod, container) => memoryHints(book, pod, container),
    podHints: (pod) => memoryHintsOfPod(book, pod),
    allocate: (pod, container, hint) => {
      const next = allocateMemory(book, { pod, container, hint });
      if ('error' in next) return next;
      keep(next);
      return undefined;
    },
    keepOnly: (owned) => {
      const stale = staleOf(ownersOf(book.entries), owned);
      keep(stale.reduce((now, { podUid, container }) => releaseMemory(now, podUid, container), book));
    },
    onStarted: (pod, container) => {
      const all = containersInOrder(pod);
      const before = all.slice(
        0,
        all.findIndex(({ name }) => name === container.name),
      );
      const ended = before.filter((one) => isPassing(pod, one));
      keep(ended.reduce((now, { name }) => releaseMemory(now, pod.metadata.uid ?? '', name), book));
    },
    nodesOf: (podUid, container) => {
      const nodes = (blocksOf(book, podUid, container) ?? []).flatMap(({ numaAffinity }) => numaAffinity);
      return nodes.length === 0 ? undefined : cpuSetText(nodes);
    },
  };
};
