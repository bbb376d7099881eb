/** Takes CPUs that are near each other. Source: kubernetes v1.34 cpumanager `takeByTopologyNUMAPacked`. */
import type { CpuSet } from './cpu-sets.ts';
import { type CpuTopology, cpusPerCore, cpusPerUncore } from './cpu-topology.ts';
import {
  freeIn,
  isSatisfied,
  largeLevels,
  type Order,
  sortedIds,
  startTaking,
  type Taking,
  take,
  takeSingly,
  takeWhole,
} from './free-cpus.ts';

export interface NotTaken {
  readonly error: string;
}

export interface CpuWish {
  readonly available: CpuSet;
  readonly count: number;
  readonly order: Order;
}

export const notEnough = ({ count, available }: CpuWish): NotTaken => ({
  error: `not enough cpus available to satisfy request: requested=${count}, available=${available.length}`,
});

/** Takes the rest from the cores of one cache, if they come to exactly what is missing. */
const takeFromUncore = (taking: Taking, uncore: number): Taking => {
  const { topology, needed } = taking;
  const perCore = cpusPerCore(topology);
  const inCache = taking.free.filter((info) => info.uncore === uncore);
  const cores = [...new Set(inCache.map(({ core }) => core))]
    .sort((a, b) => a - b)
    .slice(0, Math.ceil(needed / perCore));
  const free = freeIn(taking, 'core', cores);
  const isOdd = needed % 2 !== 0 && perCore > 1;
  const chosen = isOdd && free.length > needed ? free.slice(0, -1) : free;
  return chosen.length === needed ? take(taking, chosen) : taking;
};

const takeByUncore = (taking: Taking): Taking => {
  let now = taking;
  for (const uncore of sortedIds(taking, 'uncore')) {
    if (now.needed >= cpusPerUncore(now.topology)) now = takeWhole(now, 'uncore');
    if (!isSatisfied(now)) now = takeFromUncore(now, uncore);
    if (isSatisfied(now)) return now;
  }
  return now;
};

type Step = (taking: Taking) => Taking;

const stepsFor = (topology: CpuTopology, order: Order, byUncore: boolean): readonly Step[] => [
  ...largeLevels(topology).map(
    (level): Step =>
      (taking) =>
        takeWhole(taking, level),
  ),
  ...(byUncore ? [takeByUncore] : []),
  ...(order === 'packed' ? [(taking: Taking) => takeWhole(taking, 'core')] : []),
  takeSingly,
];

/** Takes whole NUMA nodes and sockets, whole caches if asked, whole cores, then single CPUs: always the best filled ones first. */
export const takePacked = (topology: CpuTopology, wish: CpuWish, byUncore: boolean): CpuSet | NotTaken => {
  const start = startTaking(topology, wish.available, wish.count, wish.order);
  if (isSatisfied(start)) return [];
  if (start.needed > start.free.length) return notEnough(wish);
  let taking = start;
  for (const step of stepsFor(topology, wish.order, byUncore)) {
    taking = step(taking);
    if (isSatisfied(taking)) return taking.taken;
  }
  return { error: 'failed to allocate cpus' };
};
