/** Gives containers memory of their own, and takes it back. Source: kubernetes v1.34 memorymanager `policy_static.go`. */

import type { AgentPod } from '../containers/agent-pod.ts';
import { type Container, isSidecar } from '../containers/container.ts';
import { isPassing } from '../pod-actions/containers-in-time.ts';
import type { AllocationFault } from '../topology/admit-pod.ts';
import type { TopologyHint } from '../topology/hint.ts';
import { isNarrower, knownMask, maskText, type NumaMask, nodesOf } from '../topology/numa-mask.ts';
import { memoryNodeHints, reusableIn } from './memory-hints.ts';
import { isGivenMemory, type MemoryWish, memoryWish } from './memory-requests.ts';
import {
  areSameNodes,
  blocksOf,
  type MachineMemory,
  type MemoryAssignments,
  type MemoryBlock,
  type MemoryBook,
  type MemoryReuse,
  sumOf,
  withBlock,
  withBlocks,
  withoutBlock,
} from './memory-state.ts';

type NodeHint = Required<TopologyHint>;

const fault = (what: string): AllocationFault => ({ error: `[memorymanager] ${what}` });

const bestOf = (hints: readonly NodeHint[]): NodeHint | undefined => {
  let best: NodeHint | undefined;
  for (const hint of hints) {
    const isBetter =
      !best ||
      (hint.isPreferred && !best.isPreferred) ||
      (hint.isPreferred === best.isPreferred && isNarrower(hint.affinity, best.affinity));
    if (isBetter) best = hint;
  }
  return best;
};

type Choice = NodeHint | AllocationFault;

/** The hint, or if that says nothing the best one for memory. */
const startOf = (hint: TopologyHint, possible: readonly NodeHint[]): Choice => {
  const { affinity, isPreferred } = hint;
  if (affinity !== undefined) return { affinity, isPreferred };
  const best = bestOf(possible);
  if (!best)
    return fault('failed to get the default NUMA affinity, no NUMA nodes with enough memory is available');
  return isPreferred && !best.isPreferred ? fault('failed to find the default preferred hint') : best;
};

/** The hints of all resources are cut to what they have in common, which may be too little memory. */
const extended = (start: NodeHint, possible: readonly NodeHint[]): Choice => {
  const best = bestOf(possible.filter(({ affinity }) => (affinity & start.affinity) === start.affinity));
  if (!best) return fault('failed to find NUMA nodes to extend the current topology hint');
  return start.isPreferred && !best.isPreferred ? fault('failed to find the extended preferred hint') : best;
};

const satisfies = (machine: MachineMemory, mask: NumaMask, wish: MemoryWish): boolean =>
  Object.entries(wish).every(([type, bytes]) => sumOf(machine, nodesOf(mask), type, 'free') >= bytes);

/** Whether a set of several nodes would share some of them with other blocks. */
const isMixed = (machine: MachineMemory, nodes: readonly number[]): boolean =>
  nodes.length > 1 &&
  nodes.some((node) => {
    const { numberOfAssignments = 0, cells = [] } = machine[node] ?? {};
    return numberOfAssignments > 0 && (cells.length === 1 || !areSameNodes(cells, nodes));
  });

const nodesFor = (book: MemoryBook, podUid: string, wish: MemoryWish, hint: TopologyHint): Choice => {
  const possible = memoryNodeHints(book, podUid, wish);
  const start = startOf(hint, possible);
  if ('error' in start) return start;
  const choice = satisfies(book.machineState, start.affinity, wish) ? start : extended(start, possible);
  if ('error' in choice) return choice;
  return isMixed(book.machineState, nodesOf(choice.affinity))
    ? fault('preferred hint violates NUMA node allocation')
    : choice;
};

const reusableAfter = (
  book: MemoryBook,
  pod: AgentPod,
  container: Container,
  blocks: readonly MemoryBlock[],
): MemoryReuse => {
  const uid = pod.metadata.uid ?? '';
  const known = book.reusable[uid];
  const passing = isPassing(pod, container);
  if (!known && !passing) return {};
  const now: Record<string, Readonly<Record<string, number>>> = { ...known };
  for (const { numaAffinity, type, size } of blocks) {
    const place = maskText(knownMask(numaAffinity));
    const before = now[place]?.[type] ?? 0;
    now[place] = { ...now[place], [type]: passing ? Math.max(before, size) : Math.max(0, before - size) };
  }
  return { [uid]: now };
};

interface Lessened {
  readonly blocks: readonly MemoryBlock[];
  /** What is still to be taken off others. */
  readonly left: number;
}

const lessened = (blocks: readonly MemoryBlock[], by: MemoryBlock, bytes: number): Lessened => {
  let left = bytes;
  const now = blocks.map((block) => {
    if (block.type !== by.type || !areSameNodes(block.numaAffinity, by.numaAffinity)) return block;
    const taken = Math.min(left, block.size);
    left -= taken;
    return { ...block, size: block.size - taken };
  });
  return { blocks: now, left };
};

/** What a container takes over from init containers before it is counted once. */
const withoutTakenOver = (
  entries: MemoryAssignments,
  pod: AgentPod,
  container: Container,
  blocks: readonly MemoryBlock[],
): MemoryAssignments => {
  const uid = pod.metadata.uid ?? '';
  const inits = pod.spec.initContainers ?? [];
  const own = inits.findIndex(({ name }) => name === container.name);
  const before = inits.slice(0, own < 0 ? inits.length : own).filter((init) => !isSidecar(init));
  let now = entries;
  for (const block of blocks) {
    let left = block.size;
    for (const { name } of before) {
      const found = now[uid]?.[name];
      if (!found || left === 0) continue;
      const rest = lessened(found, block, left);
      left = rest.left;
      now = withBlocks(now, uid, name, rest.blocks);
    }
  }
  return now;
};

/** The book with the container in it; unchanged if it has no memory of its own. */
export const allocateMemory = (
  book: MemoryBook,
  {
    pod,
    container,
    hint,
  }: { readonly pod: AgentPod; readonly container: Container; readonly hint: TopologyHint },
): MemoryBook | AllocationFault => {
  if (!isGivenMemory(pod)) return book;
  const uid = pod.metadata.uid ?? '';
  const kept = blocksOf(book, uid, container.name);
  if (kept) return { ...book, reusable: reusableAfter(book, pod, container, kept) };
  const wish = memoryWish(container);
  if (!wish) return fault('failed to represent quantity as int64');
  const choice = nodesFor(book, uid, wish, hint);
  if ('error' in choice) return choice;
  const numaAffinity = nodesOf(choice.affinity);
  const blocks = Object.entries(wish).map(([type, size]): MemoryBlock => ({ numaAffinity, type, size }));
  const machineState = blocks.reduce((machine, block) => {
    const again = reusableIn(book, uid, choice.affinity, block.type);
    return withBlock(machine, { ...block, size: Math.max(0, block.size - again) });
  }, book.machineState);
  const entries = withBlocks(book.entries, uid, container.name, blocks);
  return {
    machineState,
    entries: withoutTakenOver(entries, pod, container, blocks),
    reusable: reusableAfter(book, pod, container, blocks),
  };
};

export const releaseMemory = (book: MemoryBook, podUid: string, container: string): MemoryBook => {
  const blocks = blocksOf(book, podUid, container);
  if (!blocks) return book;
  return {
    ...book,
    machineState: blocks.reduce(withoutBlock, book.machineState),
    entries: withBlocks(book.entries, podUid, container, undefined),
  };
};
