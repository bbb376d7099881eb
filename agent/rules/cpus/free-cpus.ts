/** CPUs that can be taken, and the order in which that is done. Source: kubernetes v1.34 cpumanager `cpu_assignment.go`. */
import { type CpuSet, sorted } from './cpu-sets.ts';
import {
  type CpuInfo,
  type CpuTopology,
  cpusIn,
  cpusPerCore,
  cpusPerSocket,
  idsOf,
  type Level,
} from './cpu-topology.ts';

/** `packed` fills one core before the next, `spread` takes one CPU of each core first. */
export type Order = 'packed' | 'spread';

export interface Taking {
  readonly topology: CpuTopology;
  readonly order: Order;
  readonly free: readonly CpuInfo[];
  readonly taken: CpuSet;
  /** How many CPUs are missing. */
  readonly needed: number;
}

export const startTaking = (
  topology: CpuTopology,
  available: CpuSet,
  needed: number,
  order: Order,
): Taking => {
  const there = new Set(available);
  const free = topology.cpus.filter(({ cpu }) => there.has(cpu));
  return { topology, order, free, taken: [], needed };
};

export const isSatisfied = ({ needed }: Taking): boolean => needed < 1;

export const take = (taking: Taking, cpus: CpuSet): Taking => {
  const gone = new Set(cpus);
  return {
    ...taking,
    free: taking.free.filter(({ cpu }) => !gone.has(cpu)),
    taken: sorted([...taking.taken, ...cpus]),
    needed: taking.needed - cpus.length,
  };
};

/** The larger part first. Sockets come first only on machines whose sockets have several NUMA nodes each. */
const hierarchy = ({ sockets, numaNodes }: CpuTopology): readonly Level[] =>
  sockets >= numaNodes ? ['numa', 'socket', 'core'] : ['socket', 'numa', 'core'];

/** The two levels whose parts are taken whole, the larger one first. */
export const largeLevels = (topology: CpuTopology): readonly Level[] => hierarchy(topology).slice(0, 2);

const enclosing = (topology: CpuTopology, level: Level): Level | undefined => {
  if (level === 'uncore') return 'numa';
  const levels = hierarchy(topology);
  return levels[levels.indexOf(level) - 1];
};

const countsBy = (cpus: readonly CpuInfo[], level: Level): ReadonlyMap<number, number> => {
  const counts = new Map<number, number>();
  for (const info of cpus) counts.set(info[level], (counts.get(info[level]) ?? 0) + 1);
  return counts;
};

/** The parts that have free CPUs: in the order of what encloses them, those with the fewest free CPUs first, then by number. */
export const sortedIds = (
  { topology, free }: Pick<Taking, 'topology' | 'free'>,
  level: Level,
): readonly number[] => {
  const counts = countsBy(free, level);
  const bySize = (cpus: readonly CpuInfo[]): readonly number[] =>
    idsOf(cpus, level).toSorted((a, b) => (counts.get(a) ?? 0) - (counts.get(b) ?? 0) || a - b);
  const outer = enclosing(topology, level);
  if (outer === undefined) return bySize(free);
  const inside = Map.groupBy(free, (info) => info[outer]);
  return sortedIds({ topology, free }, outer).flatMap((id) => bySize(inside.get(id) ?? []));
};

/** One after the other, as they are taken. */
const sortedCpus = (taking: Taking): readonly number[] => {
  const level = taking.order === 'packed' ? 'core' : 'socket';
  const inside = Map.groupBy(taking.free, (info) => info[level]);
  return sortedIds(taking, level).flatMap((id) => sorted((inside.get(id) ?? []).map(({ cpu }) => cpu)));
};

/** How many free CPUs a part of this level has when nothing of it is taken. */
const wholeSize = (topology: CpuTopology, level: Level, id: number): number => {
  if (level === 'socket') return cpusPerSocket(topology);
  return level === 'core' ? cpusPerCore(topology) : cpusIn(topology, level, [id]).length;
};

/** Takes whole parts of a level, as long as as many CPUs are missing. */
export const takeWhole = (taking: Taking, level: Level): Taking => {
  const counts = countsBy(taking.free, level);
  let now = taking;
  for (const id of sortedIds(taking, level)) {
    if (counts.get(id) !== wholeSize(taking.topology, level, id)) continue;
    const whole = cpusIn(taking.topology, level, [id]);
    if (now.needed >= whole.length) now = take(now, whole);
  }
  return now;
};

/** The free CPUs of a part, of those that are left. */
export const freeIn = ({ free }: Taking, level: Level, ids: readonly number[]): CpuSet =>
  sorted(free.flatMap((info) => (ids.includes(info[level]) ? [info.cpu] : [])));

export const takeSingly = (taking: Taking): Taking =>
  take(taking, sorted(sortedCpus(taking).slice(0, Math.max(0, taking.needed))));
