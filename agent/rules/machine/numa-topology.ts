/** CPUs and NUMA nodes, by what Linux tells under `/sys/devices/system`. Source: cadvisor `utils/sysinfo`. */
import { type CpuTopology, idsOf, topologyOf } from '../cpus/cpu-topology.ts';
import type { HugePages } from './machine.ts';

/** One CPU that is online. */
export interface CpuReading {
  readonly cpu: number;
  readonly coreId: number;
  readonly packageId: number;
  /** Caches of the third level and above; `cpus`: how many CPUs share it. */
  readonly outerCaches: readonly { readonly id: number; readonly cpus: number }[];
}

export interface NodeReading {
  readonly id: number;
  readonly cpus: readonly CpuReading[];
  /** Bytes. */
  readonly memoryBytes: number;
  readonly hugePages: readonly HugePages[];
  /** To all nodes, in the order of their numbers; absent: not told. */
  readonly distances?: readonly number[];
}

const byCore = ({ cpus }: NodeReading): ReadonlyMap<string, readonly CpuReading[]> =>
  Map.groupBy(cpus, ({ coreId, packageId }) => `${packageId} ${coreId}`);

/** A cache that is shared by a part of the node; else the socket stands for it. */
const uncoreOf = ([first]: readonly CpuReading[], nodeCpus: number): number =>
  first?.outerCaches.find(({ cpus }) => cpus !== nodeCpus)?.id ?? first?.packageId ?? 0;

export const machineTopology = (nodes: readonly NodeReading[]): CpuTopology =>
  topologyOf(
    nodes.flatMap((node) =>
      [...byCore(node).values()].flatMap((threads) => {
        const core = Math.min(...threads.map(({ cpu }) => cpu));
        const uncore = uncoreOf(threads, node.cpus.length);
        return threads.map(({ cpu, packageId }) => ({ cpu, core, socket: packageId, numa: node.id, uncore }));
      }),
    ),
  );

/** Absent if one of the nodes does not tell them. Numbers that are no node count 0. */
export const distancesOf = (
  nodes: readonly NodeReading[],
): Readonly<Record<number, readonly number[]>> | undefined => {
  const ids = nodes.map(({ id }) => id).sort((a, b) => a - b);
  const told: Record<number, readonly number[]> = {};
  for (const { id, distances } of nodes) {
    if (!distances) return undefined;
    const byId = new Map(ids.map((to, index) => [to, distances[index] ?? 0]));
    told[id] = Array.from({ length: (ids.at(-1) ?? 0) + 1 }, (_, to) => byId.get(to) ?? 0);
  }
  return told;
};

/** A machine without NUMA has a node for each socket. */
export const nodesBySocket = (cpus: readonly CpuReading[], memoryBytes: number): readonly NodeReading[] =>
  idsOf(
    cpus.map(({ cpu, packageId }) => ({ cpu, core: 0, numa: 0, uncore: 0, socket: packageId })),
    'socket',
  ).map((id, index) => ({
    id,
    cpus: cpus.filter(({ packageId }) => packageId === id),
    memoryBytes: index === 0 ? memoryBytes : 0,
    hugePages: [],
  }));
