/**
 * Takes CPUs in equal numbers from as few NUMA nodes as will do. Source: kubernetes v1.34 cpumanager `takeByTopologyNUMADistributed`,
 * KEP-2902.
 */
import { setsOf } from '../topology/numa-mask.ts';
import { type CpuSet, without } from './cpu-sets.ts';
import { type CpuTopology, cpusIn } from './cpu-topology.ts';
import { sortedIds, startTaking } from './free-cpus.ts';
import { type CpuWish, type NotTaken, notEnough, takePacked } from './take-cpus.ts';

/** How many CPUs are free in each NUMA node. */
type FreeCounts = ReadonlyMap<number, number>;

interface Search {
  readonly count: number;
  /** CPUs are given in groups of this size. */
  readonly groupSize: number;
  readonly free: FreeCounts;
}

/** How to share the CPUs out. */
interface Split {
  readonly nodes: readonly number[];
  /** From each node. */
  readonly each: number;
  /** The nodes that give what is left over, a group each in turn. */
  readonly rest: readonly number[];
  /** How unequal the nodes are afterwards: the less, the better. */
  readonly imbalance: number;
}

const toThousandths = (value: number): number => Math.round(value * 1000) / 1000;

const deviation = (values: readonly number[]): number => {
  const mean = toThousandths(values.reduce((sum, value) => sum + value, 0) / values.length);
  const squares = values.reduce((sum, value) => sum + (value - mean) ** 2, 0);
  return toThousandths(Math.sqrt(squares / values.length));
};

const freeOf = (free: FreeCounts, node: number): number => free.get(node) ?? 0;

const sumOf = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0);

const lessened = (free: FreeCounts, nodes: readonly number[], by: number): FreeCounts =>
  new Map([...free].map(([node, count]) => [node, nodes.includes(node) ? count - by : count]));

/** What is free once the nodes have given `left` CPUs, a group each in turn. */
const afterRest = (
  free: FreeCounts,
  nodes: readonly number[],
  left: number,
  groupSize: number,
): FreeCounts => {
  const counts = new Map(free);
  for (let missing = left; missing > 0; ) {
    const givers = nodes.filter((node) => freeOf(counts, node) >= groupSize);
    if (givers.length === 0) break;
    for (const node of givers.slice(0, missing / groupSize)) {
      counts.set(node, freeOf(counts, node) - groupSize);
      missing -= groupSize;
    }
  }
  return counts;
};

/** The nodes that can best give what is left over: rather many of them. */
const bestRest = (
  { groupSize }: Search,
  free: FreeCounts,
  nodes: readonly number[],
  left: number,
): Pick<Split, 'rest' | 'imbalance'> | undefined => {
  if (left === 0) return { rest: [], imbalance: deviation([...free.values()]) };
  const givers = nodes.filter((node) => freeOf(free, node) >= groupSize);
  let best: Pick<Split, 'rest' | 'imbalance'> | undefined;
  for (let size = givers.length; size >= 1; size -= 1)
    for (const rest of setsOf(givers, size)) {
      if (sumOf(rest.map((node) => freeOf(free, node))) < left) continue;
      const imbalance = deviation([...afterRest(free, rest, left, groupSize).values()]);
      if (!best || imbalance < best.imbalance) best = { rest, imbalance };
    }
  return best;
};

const splitOver = (search: Search, nodes: readonly number[]): Split | undefined => {
  const { count, groupSize, free } = search;
  const groups = sumOf(nodes.map((node) => Math.trunc(freeOf(free, node) / groupSize)));
  if (groups * groupSize < count) return undefined;
  const each = Math.trunc(Math.trunc(count / nodes.length) / groupSize) * groupSize;
  if (nodes.some((node) => freeOf(free, node) < each)) return undefined;
  const found = bestRest(search, lessened(free, nodes, each), nodes, count - each * nodes.length);
  return found && { nodes, each, ...found };
};

/** The best way to share the CPUs out over `size` nodes. */
const bestSplit = (search: Search, nodes: readonly number[], size: number): Split | undefined => {
  let best: Split | undefined;
  for (const chosen of setsOf(nodes, size)) {
    if (best?.imbalance === 0) return best;
    const split = splitOver(search, chosen);
    if (split && (!best || split.imbalance < best.imbalance)) best = split;
  }
  return best;
};

const dividedUp = (amount: number, by: number): number => Math.trunc((amount - 1) / by) + 1;

const sizesToTry = (
  { cpus, numaNodes }: CpuTopology,
  { count, groupSize }: Search,
  available: number,
): readonly number[] => {
  const perNode = dividedUp(dividedUp(cpus.length, groupSize), numaNodes);
  const groups = dividedUp(count, groupSize);
  const least = dividedUp(groups, perNode);
  const most = Math.min(groups, available);
  return Array.from({ length: Math.max(0, most - least + 1) }, (_, index) => least + index);
};

const takenBy = (topology: CpuTopology, wish: CpuWish, split: Split, groupSize: number): CpuSet => {
  let available = wish.available;
  const taken: number[] = [];
  const takeFrom = (node: number, count: number): number => {
    const inNode = cpusIn(topology, 'numa', [node]);
    const here = available.filter((cpu) => inNode.includes(cpu));
    if (here.length < count) return 0;
    const cpus = takePacked(topology, { ...wish, available: here, count }, false);
    if ('error' in cpus) return 0;
    available = without(available, cpus);
    taken.push(...cpus);
    return cpus.length;
  };
  for (const node of split.nodes) takeFrom(node, split.each);
  while (taken.length < wish.count) {
    const before = taken.length;
    for (const node of split.rest) if (taken.length < wish.count) takeFrom(node, groupSize);
    if (taken.length === before) break;
  }
  return taken.sort((a, b) => a - b);
};

/** If no number of nodes can give equal numbers, the CPUs are packed. */
export const takeDistributed = (
  topology: CpuTopology,
  wish: CpuWish,
  groupSize: number,
): CpuSet | NotTaken => {
  const { available, count, order } = wish;
  const packed = (): CpuSet | NotTaken => takePacked(topology, wish, false);
  if (count % groupSize !== 0 || count < 1) return packed();
  const start = startTaking(topology, available, count, order);
  if (count > start.free.length) return notEnough(wish);
  const nodes = sortedIds(start, 'numa');
  const free = new Map(nodes.map((node) => [node, start.free.filter(({ numa }) => numa === node).length]));
  const search: Search = { count, groupSize, free };
  for (const size of sizesToTry(topology, search, nodes.length)) {
    const split = bestSplit(search, nodes, size);
    if (split) return takenBy(topology, wish, split, groupSize);
  }
  return packed();
};
