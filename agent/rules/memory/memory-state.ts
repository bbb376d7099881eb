/** Which memory of which NUMA node belongs to which container. Source: kubernetes v1.34 memorymanager/state. */

/** Bytes of one kind of memory in a NUMA node: `memory`, or huge pages of one size. */
export interface MemoryTable {
  readonly total: number;
  readonly systemReserved: number;
  readonly allocatable: number;
  /** By containers. */
  readonly reserved: number;
  readonly free: number;
}

export interface NodeMemory {
  /** How many blocks of containers lie in the node. */
  readonly numberOfAssignments: number;
  readonly memoryMap: Readonly<Record<string, MemoryTable>>;
  /** The node, and those with which it holds blocks together. */
  readonly cells: readonly number[];
}

/** By the number of the NUMA node. */
export type MachineMemory = Readonly<Record<number, NodeMemory>>;

/** Memory of a container, in one node or in several together. */
export interface MemoryBlock {
  readonly numaAffinity: readonly number[];
  readonly type: string;
  readonly size: number;
}

/** By uid of the pod and name of the container. */
export type MemoryAssignments = Readonly<Record<string, Readonly<Record<string, readonly MemoryBlock[]>>>>;

export interface MemoryState {
  readonly machineState: MachineMemory;
  readonly entries: MemoryAssignments;
}

/** Bytes that init containers leave to later containers of the pod: by uid, by the nodes, by kind of memory. */
export type MemoryReuse = Readonly<
  Record<string, Readonly<Record<string, Readonly<Record<string, number>>>>>
>;

/** The state, and what only the running agent knows. */
export interface MemoryBook extends MemoryState {
  /** Of the pod that was looked at last. */
  readonly reusable: MemoryReuse;
}

const NOTHING: MemoryTable = { total: 0, systemReserved: 0, allocatable: 0, reserved: 0, free: 0 };

export const tableOf = (machine: MachineMemory, node: number, type: string): MemoryTable =>
  machine[node]?.memoryMap[type] ?? NOTHING;

export const sumOf = (
  machine: MachineMemory,
  nodes: readonly number[],
  type: string,
  field: keyof MemoryTable,
): number => nodes.reduce((sum, node) => sum + tableOf(machine, node, type)[field], 0);

export const areSameNodes = (a: readonly number[], b: readonly number[]): boolean =>
  a.length === b.length && a.every((node) => b.includes(node));

export const blocksOf = (
  { entries }: MemoryState,
  podUid: string,
  container: string,
): readonly MemoryBlock[] | undefined => entries[podUid]?.[container];

/** Without the pod, once none of its containers has memory. `blocks` absent: the container has none any more. */
export const withBlocks = (
  entries: MemoryAssignments,
  podUid: string,
  container: string,
  blocks: readonly MemoryBlock[] | undefined,
): MemoryAssignments => {
  const { [podUid]: ofPod = {}, ...others } = entries;
  const { [container]: _, ...rest } = ofPod;
  const now = blocks ? { ...rest, [container]: blocks } : rest;
  return Object.keys(now).length === 0 ? others : { ...others, [podUid]: now };
};

/** Moves bytes of a node from `free` to `reserved`; back, if negative. */
const moved = (node: NodeMemory, type: string, bytes: number): NodeMemory => {
  const table = node.memoryMap[type];
  if (!table || bytes === 0) return node;
  const now = { ...table, free: table.free - bytes, reserved: table.reserved + bytes };
  return { ...node, memoryMap: { ...node.memoryMap, [type]: now } };
};

/** The machine with a block in it: as much as there is from the first node, the rest from the next ones. */
export const withBlock = (
  machine: MachineMemory,
  { numaAffinity, type, size }: MemoryBlock,
): MachineMemory => {
  let missing = size;
  const changed = numaAffinity.flatMap((id) => {
    const node = machine[id];
    if (!node) return [];
    const bytes = Math.min(missing, node.memoryMap[type]?.free ?? 0);
    missing -= bytes;
    const numberOfAssignments = node.numberOfAssignments + 1;
    return [[id, moved({ ...node, numberOfAssignments, cells: numaAffinity }, type, bytes)] as const];
  });
  return { ...machine, ...Object.fromEntries(changed) };
};

/** The machine without the block. A node that holds no block any more stands alone again. */
export const withoutBlock = (
  machine: MachineMemory,
  { numaAffinity, type, size }: MemoryBlock,
): MachineMemory => {
  let left = size;
  const changed = numaAffinity.flatMap((id) => {
    const node = machine[id];
    if (!node) return [];
    const bytes = Math.min(left, node.memoryMap[type]?.reserved ?? 0);
    left -= bytes;
    const numberOfAssignments = node.numberOfAssignments - 1;
    const cells = numberOfAssignments === 0 ? [id] : node.cells;
    return [[id, moved({ ...node, numberOfAssignments, cells }, type, -bytes)] as const];
  });
  return { ...machine, ...Object.fromEntries(changed) };
};
