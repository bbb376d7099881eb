/** From which NUMA nodes a container could get its memory. Source: kubernetes v1.34 memorymanager `calculateHints`, `regenerateHints`. */

import type { AgentPod } from '../containers/agent-pod.ts';
import type { Container } from '../containers/container.ts';
import { containersInOrder } from '../pod-actions/containers-in-time.ts';
import type { ResourceHints, TopologyHint } from '../topology/hint.ts';
import { countOf, knownMask, masksOf, maskText, type NumaMask, nodesOf } from '../topology/numa-mask.ts';
import { isGivenMemory, type MemoryWish, memoryWish, memoryWishOfPod } from './memory-requests.ts';
import {
  areSameNodes,
  blocksOf,
  type MachineMemory,
  type MemoryBlock,
  type MemoryBook,
  sumOf,
} from './memory-state.ts';

/** A hint that names its nodes. */
type NodeHint = Required<TopologyHint>;

/** What init containers of the pod leave to later ones in these nodes. */
export const reusableIn = ({ reusable }: MemoryBook, podUid: string, mask: NumaMask, type: string): number =>
  reusable[podUid]?.[maskText(mask)]?.[type] ?? 0;

/** A node holds blocks of its own, or blocks together with always the same other nodes. */
const areUnmixed = (machine: MachineMemory, nodes: readonly number[]): boolean =>
  nodes.length === 1
    ? nodes.every((node) => (machine[node]?.cells.length ?? 0) <= 1)
    : nodes.every((node) => {
        const { numberOfAssignments = 0, cells = [] } = machine[node] ?? {};
        return numberOfAssignments === 0 || (cells.length > 1 && areSameNodes(cells, nodes));
      });

/**
 * All sets of nodes that have enough of all kinds; the smallest sets that could ever have enough are preferred. The hints count for all
 * kinds.
 */
export const memoryNodeHints = (book: MemoryBook, podUid: string, wish: MemoryWish): readonly NodeHint[] => {
  const { machineState } = book;
  const all = Object.keys(machineState).map(Number);
  const wanted = Object.entries(wish);
  let fewest = all.length;
  const masks: NumaMask[] = [];
  for (const mask of masksOf(all)) {
    const nodes = nodesOf(mask);
    if (wanted.some(([type, bytes]) => sumOf(machineState, nodes, type, 'allocatable') < bytes)) continue;
    fewest = Math.min(fewest, nodes.length);
    if (!areUnmixed(machineState, nodes)) continue;
    const hasEnough = wanted.every(
      ([type, bytes]) =>
        sumOf(machineState, nodes, type, 'free') + reusableIn(book, podUid, mask, type) >= bytes,
    );
    if (hasEnough) masks.push(mask);
  }
  return masks.map((affinity) => ({ affinity, isPreferred: countOf(affinity) === fewest }));
};

/** Without an entry for what cannot be had: no preference, as the kubelet says it. */
const hintsFor = (book: MemoryBook, podUid: string, wish: MemoryWish): ResourceHints => {
  const hints = memoryNodeHints(book, podUid, wish);
  return hints.length === 0 ? {} : Object.fromEntries(Object.keys(wish).map((type) => [type, hints]));
};

/** Hints that lead to what the container has. `undefined`: it asks for something else than it has. */
const keptHints = (blocks: readonly MemoryBlock[], wish: MemoryWish): ResourceHints | undefined => {
  const isAsked = blocks.every(({ type, size }) => wish[type] === size);
  if (!isAsked || blocks.length !== Object.keys(wish).length) return undefined;
  return Object.fromEntries(
    blocks.map(({ type, numaAffinity }) => [
      type,
      [{ affinity: knownMask(numaAffinity), isPreferred: true }],
    ]),
  );
};

/** `undefined`: the container has no memory of its own. */
export const memoryHints = (
  book: MemoryBook,
  pod: AgentPod,
  container: Container,
): ResourceHints | undefined => {
  const wish = isGivenMemory(pod) ? memoryWish(container) : undefined;
  if (!wish) return undefined;
  const uid = pod.metadata.uid ?? '';
  const blocks = blocksOf(book, uid, container.name);
  return blocks ? keptHints(blocks, wish) : hintsFor(book, uid, wish);
};

/** For all containers of the pod together. */
export const memoryHintsOfPod = (book: MemoryBook, pod: AgentPod): ResourceHints | undefined => {
  const wish = isGivenMemory(pod) ? memoryWishOfPod(pod) : undefined;
  if (!wish) return undefined;
  const uid = pod.metadata.uid ?? '';
  const kept = containersInOrder(pod).flatMap(({ name }) => {
    const blocks = blocksOf(book, uid, name);
    return blocks ? [blocks] : [];
  })[0];
  return kept ? keptHints(kept, wish) : hintsFor(book, uid, wish);
};
