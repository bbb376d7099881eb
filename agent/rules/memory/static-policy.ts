/** The memory of a machine before any container has some of it. Source: kubernetes v1.34 memorymanager `getDefaultMachineState`. */
import type { MachineMemory, MemoryTable, NodeMemory } from './memory-state.ts';

/** What a NUMA node has. */
export interface NumaNodeMemory {
  readonly id: number;
  readonly memoryBytes: number;
  /** Bytes by resource, such as `hugepages-1Gi`. They are a part of the memory. */
  readonly hugePages: Readonly<Record<string, number>>;
  /** Bytes for the system and the agent, by kind of memory. */
  readonly systemReserved: Readonly<Record<string, number>>;
}

const table = (total: number, systemReserved: number, allocatable: number): MemoryTable => ({
  total,
  systemReserved,
  allocatable,
  reserved: 0,
  free: allocatable,
});

const nodeMemory = ({ id, memoryBytes, hugePages, systemReserved }: NumaNodeMemory): NodeMemory => {
  const inPages = Object.values(hugePages).reduce((sum, bytes) => sum + bytes, 0);
  const reservedOf = (kind: string): number => systemReserved[kind] ?? 0;
  const pages = Object.entries(hugePages).map(([kind, bytes]) => [
    kind,
    table(bytes, reservedOf(kind), bytes - reservedOf(kind)),
  ]);
  const memory = table(memoryBytes, reservedOf('memory'), memoryBytes - reservedOf('memory') - inPages);
  return { numberOfAssignments: 0, memoryMap: { ...Object.fromEntries(pages), memory }, cells: [id] };
};

export const freshMachine = (nodes: readonly NumaNodeMemory[]): MachineMemory =>
  Object.fromEntries(nodes.map((node) => [node.id, nodeMemory(node)]));
